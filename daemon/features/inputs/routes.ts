import { inputApi } from '../../contract/inputs.ts';
import { isGranted } from '../../http/access.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { bind, type Route } from '../../http/route.ts';
import type { InputService } from './service.ts';

export function inputRoutes(inputs: InputService): Route[] {
  return [
    bind(inputApi.list, ({ query, session }) => inputs.list(query, { mayEdit: isGranted(session, 'ioEdit') })),
    bind(inputApi.add, ({ body, actor }) => ({ id: inputs.add(actor, body) })),
    bind(inputApi.set, ({ body, actor }) => ({ revision: inputs.set(actor, body) })),
    // The response takes longer than the idle timeout of a connection.
    bind(inputApi.test, ({ body, http }) => keepOpenDuring(http.env, () => inputs.test(body, http.req.raw.signal))),
    bind(inputApi.reveal, ({ body, actor }) => ({ config: inputs.reveal(actor, body.id) })),
    bind(inputApi.del, ({ body, actor }) => inputs.del(actor, body)),
  ];
}
