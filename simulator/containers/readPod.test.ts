import { assert, suite } from '../../fixtures/test.ts'
import { podManifest } from './podManifest.ts'
import { type Pod, type PodState, readPod } from './readPod.ts'

const s = suite('simulator/readPod')
type Status = NonNullable<Pod['status']>
const inState = (state: object): Status => ({ containerStatuses: [{ state }] })
const unscheduled = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: 'no cpu',
}

const rows: readonly (readonly [
  state: PodState,
  status: Status | undefined,
  isDeleted?: boolean,
])[] = [
  [{ is: 'waiting', why: 'Pending' }, undefined],
  [
    { is: 'waiting', why: 'ContainerCreating' },
    inState({ waiting: { reason: 'ContainerCreating' } }),
  ],
  [
    { is: 'waiting', why: 'Unschedulable: no cpu' },
    { conditions: [{ type: 'Ready', status: 'False' }, unscheduled] },
  ],
  [{ is: 'waiting', why: 'Pending' }, { conditions: [{ ...unscheduled, status: 'True' }] }],
  [
    { is: 'stuck', why: 'ImagePullBackOff: no such image' },
    inState({ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }),
  ],
  [
    { is: 'running', ip: '10.0.0.1' },
    { ...inState({ running: {} }), podIP: '10.0.0.1' },
  ],
  [{ is: 'waiting', why: 'Pending' }, inState({ running: {} })],
  [
    { is: 'over', why: 'it is being deleted' },
    { ...inState({ running: {} }), podIP: '10.0.0.1' },
    true,
  ],
  [
    { is: 'over', why: 'Evicted: no memory' },
    { phase: 'Failed', reason: 'Evicted', message: 'no memory' },
  ],
  [{ is: 'over', why: 'it ended' }, { phase: 'Succeeded' }],
  [{ is: 'over', why: 'OOMKilled' }, inState({ terminated: { reason: 'OOMKilled' } })],
  [{ is: 'over', why: 'OOMKilled' }, inState({ terminated: { reason: 'OOMKilled' } }), true],
]
for (const [state, status, isDeleted] of rows)
  s(`a pod that is ${JSON.stringify(state)} [teeth/pods]`, () => {
    const metadata = { name: 'p', uid: '1', ...(isDeleted && { deletionTimestamp: 'now' }) }
    assert.equal(readPod({ metadata, ...(status && { status }) }), state)
  })

s('makes a pod that may do nothing, and asks for what a fork takes [teeth/pods]', () => {
  const manifest = (niceness: number) =>
    podManifest(
      {
        name: 'fork-1',
        supervisor: 'sim',
        own: { name: 'own', uid: 'u', ip: '10.0.0.1' },
        limits: { image: 'i', cpus: 2, memoryBytes: 4_000 } as never,
      },
      { niceness, chainId: 8453, blockNumber: 7n } as never,
    )
  const { metadata, spec } = manifest(0)
  assert.equal(metadata.ownerReferences, [{ apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'u' }])
  const { 'forkyard.chain': chain, 'forkyard.block': block } = metadata.labels as Record<
    string,
    string
  >
  assert.equal([metadata.name, chain, block], ['fork-1', '8453', '7'])
  const [anvil] = spec.containers
  assert.equal(anvil?.resources, {
    requests: { cpu: '500m', memory: '1000' },
    limits: { cpu: '2000m', memory: '4000' },
  })
  assert.is(manifest(1).spec.containers[0]?.resources.requests.cpu, '400m')
  assert.is(manifest(99).spec.containers[0]?.resources.requests.cpu, '1m')
  assert.equal(
    [spec.restartPolicy, spec.automountServiceAccountToken, spec.enableServiceLinks],
    ['Never', false, false],
  )
  // It has a moment to end, lest it be forgotten before that.
  assert.is(spec.terminationGracePeriodSeconds, 1)
  const { runAsNonRoot, runAsUser, runAsGroup } = spec.securityContext
  assert.equal([runAsNonRoot, runAsUser, runAsGroup], [true, 65_532, 65_532])
  assert.equal(anvil?.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
})
s.run()
