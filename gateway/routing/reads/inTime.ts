/** No block waits longer for what another endpoint says beside the first one. */
const patienceMs = 2_000

/** What is said soon; whoever has not spoken by then has said nothing. */
export function inTime<said>(saying: Promise<said>): Promise<said | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), patienceMs)
    saying.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
