export const noSuchKey = (id: string) =>
  new Error(`there is no valid key ${id}; see forkyard keys list`)
export const noSuchPlan = (name: string) =>
  new Error(`there is no plan ${name}; see forkyard plans list`)
