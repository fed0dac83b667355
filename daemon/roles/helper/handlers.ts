/** What each operation does. A process loads the code of its own operation only. */
import type { AnswerOf, ArgsOf, OperationName } from '../../appliance/helper/operations.ts';

/** Takes arguments that were checked. Throws HelperRefusal. */
export type Handler<N extends OperationName> = (args: ArgsOf<N>) => Promise<AnswerOf<N>>;

const handlers: { readonly [N in OperationName]: () => Promise<Handler<N>> } = {
  'firewall.apply': async () => (await import('./firewall.ts')).applyFirewall,
  'firewall.read': async () => (await import('./firewall.ts')).readFirewall,
  'time.apply': async () => (await import('./time.ts')).applyTime,
  'time.set': async () => (await import('./time.ts')).setTime,
  'host-name.set': async () => (await import('./time.ts')).setHostName,
  'system.reboot': async () => (await import('./reboot.ts')).reboot,
  'port.blink': async () => (await import('./blink.ts')).blink,
  'system.reset': async () => (await import('./reset.ts')).reset,
};

export function handlerOf<N extends OperationName>(op: N): Promise<Handler<N>> {
  return handlers[op]();
}
