/** A device's agent. Argument: the address of the hub's link. */
import { dialLink } from '../../../daemon/link/dial.ts';
import { createIdentity } from '../../../daemon/link/identity.ts';

const [url = ''] = process.argv.slice(2);
await dialLink({
  url,
  identity: createIdentity(),
  claim: () => ({ role: 'device', serial: 'BENCH', details: {} }),
  hubKey: undefined,
  allowsPort: () => true,
  onState: (state) => console.log(JSON.stringify(state)),
  signal: new AbortController().signal,
});
