import { useLingui } from '@lingui/react/macro';
import { useMemo, useRef } from 'react';
import { useSession } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { lockedText } from './reason-text.ts';
import { lockOutputs, type Router } from './router-query.ts';
import { outputText } from './router-text.ts';
import { routeOutputs, tell, undoRoutes, useRouting } from './routing.ts';
import { clearStaged, stage, useStaging } from './staging.ts';

export interface RouterActs {
  /** Routes the output, or prepares it in take mode. `input`: null for none. */
  readonly route: (output: number, input: number | null) => void;
  /** Locks the output or unlocks it, and asks before it removes another user's lock. */
  readonly lock: (output: number) => void;
  readonly undo: () => void;
  readonly take: () => void;
}

/** Why the signed-in user cannot switch anything; undefined if they can. */
export function useNoEditReason(mayEdit: boolean): string | undefined {
  const { t } = useLingui();
  return mayEdit ? undefined : t`You can view the router, but not change it.`;
}

/** The outputs that “Undo” returns: those that this page switched last, otherwise those of the last salvo. */
export function useUndoable({ router, outputs }: Router): readonly number[] {
  const last = useRouting((state) => state.last);
  const list = last.length > 0 ? last : (router['last-salvo']?.outputs ?? []);
  return useMemo(() => list.filter((out) => outputs.get(out)?.previous !== undefined), [list, outputs]);
}

/** Stable functions, so that components that receive them do not render again. */
export function useRouterActs(router: Router, mayEdit: boolean): RouterActs {
  const { t, i18n } = useLingui();
  const { id: userId } = useSession();
  const noEdit = useNoEditReason(mayEdit);
  const undoable = useUndoable(router);
  const refuse = (text: string) => showToast('error', text, 'ndi-route');
  const acts: RouterActs = {
    route(out, input) {
      const output = router.outputs.get(out);
      if (output === undefined) return;
      if (noEdit !== undefined) return refuse(noEdit);
      const name = outputText(output);
      if (output.lock !== null) return refuse(`${name}: ${lockedText(i18n, output.lock.owner)}`);
      if (useStaging.getState().isTake) return stage(out, input, output.in);
      if (output.in === input && output.substitute === null && output.applied) return;
      void routeOutputs([{ out, in: input }]);
    },
    lock(out) {
      const output = router.outputs.get(out);
      if (output === undefined) return;
      if (noEdit !== undefined) return refuse(noEdit);
      const { lock } = output;
      const name = outputText(output);
      if (lock !== null && (lock.by !== 'user' || lock['user-id'] !== userId)) {
        const { owner } = lock;
        return confirm({
          title: t`Unlock ${name}?`,
          consequence: t`${owner} has locked this output. Any user can switch it once it is unlocked.`,
          verb: t`Unlock`,
          isDangerous: true,
          run: () => lockOutputs({ out, locked: false, force: true }),
          done: t`${name} was unlocked.`,
        });
      }
      const locked = lock === null;
      void lockOutputs({ out, locked }).then(
        () => tell(locked ? t`${name} locked` : t`${name} unlocked`),
        (error: unknown) => refuse(`${name}: ${faultText(i18n, error)}`),
      );
    },
    undo() {
      if (noEdit !== undefined) return refuse(noEdit);
      if (undoable.length === 0) return tell(t`There is nothing to undo.`);
      void undoRoutes(undoable);
    },
    take() {
      const routes = [...useStaging.getState().staged].map(([out, input]) => ({ out, in: input }));
      void routeOutputs(routes).then((done) => done.length > 0 && clearStaged(...done));
    },
  };
  const latest = useRef(acts);
  latest.current = acts;
  return useMemo(
    () => ({
      route: (...args) => latest.current.route(...args),
      lock: (...args) => latest.current.lock(...args),
      undo: () => latest.current.undo(),
      take: () => latest.current.take(),
    }),
    [],
  );
}
