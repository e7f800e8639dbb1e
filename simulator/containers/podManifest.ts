import { anvilFlags } from './anvilFlags.ts'
import { anvilPort, type ForkEngine, type ForkLimits, forkLabel } from './forkEngine.ts'

/** The supervisor's own pod, by the downward API. */
export type OwnPod = { readonly name: string; readonly uid: string; readonly ip: string }

/** Which supervisor's a fork is, of several of one name. */
export const ownerLabel = 'forkyard.simulatord.pod'

type Manifest = {
  readonly name: string
  readonly supervisor: string
  readonly own: OwnPod
  readonly limits: ForkLimits
}

/** A fork as a pod that holds nothing, may do nothing, and goes with the supervisor's own. */
export function podManifest(
  { name, supervisor, own, limits }: Manifest,
  { niceness, ...block }: Parameters<ForkEngine['start']>[0],
) {
  // Asked for is what a fork takes as a rule: beyond that it is the first to go on a full node.
  const share = 0.25 * 0.8 ** niceness
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: {
        'app.kubernetes.io/name': 'fork',
        [forkLabel]: supervisor,
        [ownerLabel]: own.uid,
        'forkyard.chain': String(block.chainId),
        'forkyard.block': String(block.blockNumber),
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: own.name, uid: own.uid }],
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // Nothing is lost with a fork. None at all would forget it before its node has ended it.
      terminationGracePeriodSeconds: 1,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'anvil',
          image: limits.image,
          imagePullPolicy: 'IfNotPresent',
          args: anvilFlags(block),
          ports: [{ containerPort: anvilPort }],
          resources: {
            requests: {
              cpu: toMilli(limits.cpus * share),
              memory: String(Math.round(limits.memoryBytes / 4)),
            },
            limits: { cpu: toMilli(limits.cpus), memory: String(limits.memoryBytes) },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        },
      ],
      volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }],
    },
  }
}

const toMilli = (cpus: number) => `${Math.max(1, Math.round(cpus * 1_000))}m`
