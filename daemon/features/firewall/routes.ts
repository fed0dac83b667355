import { firewallApi } from '../../contract/firewall.ts';
import { type Actor, bind, type Route, type Session, signedIn } from '../../http/route.ts';
import type { Caller, FirewallService } from './service.ts';

interface Asked {
  readonly actor: Actor;
  readonly session: Session | null;
}

export function firewallRoutes(load: () => Promise<FirewallService>): Route[] {
  const by = ({ actor, session }: Asked): Caller => ({ actor, session: signedIn(session) });
  return [
    bind(firewallApi.get, async () => (await load()).get()),
    bind(firewallApi.set, async ({ body, ...asked }) => (await load()).set(by(asked), body)),
    bind(firewallApi.addRule, async ({ body, ...asked }) => (await load()).addRule(by(asked), body)),
    bind(firewallApi.setRule, async ({ body, ...asked }) => (await load()).setRule(by(asked), body)),
    bind(firewallApi.delRule, async ({ body, ...asked }) => (await load()).delRule(by(asked), body)),
  ];
}
