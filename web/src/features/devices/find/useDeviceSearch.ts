import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewDevice } from '../../../../../daemon/contract/devices.ts';
import type { FoundDevice } from '../../../../../daemon/contract/discovery.ts';
import type { Task } from '../../../../../daemon/contract/tasks.ts';
import { deviceApi, taskApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { useSession } from '../../../api/session.ts';
import { taskItemsQuery } from '../../../shared/tasks/task-items.ts';
import { useTasks } from '../../../shared/tasks/tasks-query.ts';
import type { Outcome } from '../add-each.ts';
import { useAddEach } from '../useAddEach.ts';

export interface FoundRow extends FoundDevice {
  /** Its IP address. */
  readonly host: string;
  readonly title: string;
  readonly outcome: Outcome | undefined;
}

/** The hub may find something every moment. */
const foundEveryMs = 1000;
const searchKind = 'device.discover';
const noRows: readonly FoundRow[] = [];

export type DeviceSearch = ReturnType<typeof useDeviceSearch>;

/** A search for devices, what it has found, and which of that is to be added. */
export function useDeviceSearch() {
  const user = useSession().name;
  const tasks = useTasks();
  const [started, setStarted] = useState(0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [trusted, setTrusted] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const addEach = useAddEach();
  const task = searchOf(tasks, user, started);
  // The list of tasks is a moment behind the answer that started a task.
  const isRunning = task === undefined ? started > 0 : task.ended === 0;
  const id = task?.id ?? started;
  const { data: items } = useQuery({
    ...taskItemsQuery({ id, ended: task?.ended ?? 0 }, foundEveryMs),
    enabled: id > 0,
  });
  const rows =
    id === 0
      ? noRows
      : (items ?? []).flatMap(({ key, name, device }) =>
          device === undefined ? [] : [{ ...device, host: key, title: name, outcome: outcomes.get(key) }],
        );
  const start = useMutation({
    mutationFn: (subnet: string) =>
      call(deviceApi.discover, { body: subnet.trim() === '' ? {} : { subnet: subnet.trim() } }),
    onSuccess(answer) {
      setStarted(answer.task);
      setChosen(new Set());
      setTrusted(new Set());
      setOutcomes(new Map());
    },
  });
  const cancel = useMutation({ mutationFn: () => call(taskApi.cancel, { body: { id } }) });

  return {
    ...{ task, isRunning, rows, chosen, trusted, cancel },
    start,
    choose: (hosts: readonly string[], isOn: boolean) => setChosen(changed(chosen, hosts, isOn)),
    trust: (host: string, isOn: boolean) => setTrusted(changed(trusted, [host], isOn)),
    /** Adds the chosen ones. `left`: devices that the search has found and that were not added. */
    async add(common: Omit<NewDevice, 'address' | 'pin'>): Promise<{ readonly added: number; readonly left: number }> {
      const wanted = rows.filter(({ host }) => chosen.has(host));
      const devices = wanted.map(({ address, host, outcome, pin }) => {
        const shown = outcome?.pin ?? pin;
        return { ...common, address, ...(trusted.has(host) && shown !== undefined && { pin: shown }) };
      });
      let added = 0;
      const take = (at: number, results: readonly Outcome[]) => {
        const byHost = results.map((one, index) => [wanted[at + index]?.host ?? '', one] as const);
        const done = byHost.filter(([, { isAdded }]) => isAdded).map(([host]) => host);
        added += done.length;
        setOutcomes((before) => new Map([...before, ...byHost]));
        setChosen((before) => changed(before, done, false));
      };
      await addEach(devices, take);
      return { added, left: rows.filter(canBeAdded).length - added };
    },
  };
}

export const canBeAdded = ({ api, added, outcome }: FoundRow): boolean =>
  api !== undefined && !added && outcome?.isAdded !== true;

/** The search that was started here, or one of this user that still runs. */
function searchOf(tasks: readonly Task[], user: string, started: number): Task | undefined {
  const own = tasks.filter(({ kind, owner }) => kind === searchKind && owner === user);
  return own.find(({ id }) => id === started) ?? (started === 0 ? own.find(({ ended }) => ended === 0) : undefined);
}

function changed(set: ReadonlySet<string>, keys: readonly string[], isOn: boolean): ReadonlySet<string> {
  const next = new Set(set);
  for (const key of keys) {
    if (isOn) next.add(key);
    else next.delete(key);
  }
  return next;
}
