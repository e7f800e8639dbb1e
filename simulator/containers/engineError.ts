/** Whether the engine answered with this HTTP status. */
export const isStatus = (error: unknown, status: number) =>
  (error as { statusCode?: number }).statusCode === status
