/** `make openapi`: writes docs/openapi.json, or with `--print` prints what it should be. */
import { join } from 'node:path';
import './doc-comments.ts';

const root = join(import.meta.dir, '../..');
export const descriptionPath = join(root, 'docs/openapi.json');

if (import.meta.main) {
  // Not before: the comments are taken from the contract when it is loaded.
  const { composedHub } = await import('../fixtures/composed-hub.ts');
  const { api } = await import('../../daemon/contract/api.ts');
  const { endpointsOf } = await import('../fixtures/endpoints.ts');
  const { describeApi } = await import('./describe-api.ts');
  const { default: examples } = await import('./examples.json');
  const { hub, remove } = await composedHub();
  const text = `${JSON.stringify(describeApi({ endpoints: endpointsOf(api), ...hub }, examples), null, 1)}\n`;
  await remove();
  if (process.argv.includes('--print')) process.stdout.write(text);
  else await Bun.write(descriptionPath, text);
}
