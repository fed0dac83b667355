/** One client of the Videohub server: answers the blocks of the client in order, and sends it changes. */
import { type Block, readItems, writeBlock } from './blocks.ts';
import { dumpOf, type PanelState, type Section, sections, sectionText, shownTo, updateOf } from './state.ts';

/** Actions of a panel on the matrix. Numbers start at 0; null is no input. An action that rejects changed nothing. */
export interface PanelActions {
  readonly route: (
    address: string,
    routes: readonly { readonly output: number; readonly input: number | null }[],
  ) => Promise<void>;
  readonly lock: (address: string, output: number, how: 'lock' | 'unlock' | 'force') => Promise<void>;
  readonly setInputLabel: (address: string, input: number, label: string) => Promise<void>;
  readonly setOutputLabel: (address: string, output: number, label: string) => Promise<void>;
}

interface ClientOptions {
  readonly address: string;
  readonly state: () => PanelState;
  readonly actions: PanelActions;
  readonly send: (text: string) => void;
}

const ack = 'ACK\n\n';
const nak = 'NAK\n\n';
const sectionOf = new Map<string, Section>((Object.keys(sections) as Section[]).map((name) => [sections[name], name]));
/** Sections that only larger devices have. Other devices answer a query of them with an empty block. */
const emptySections =
  /^(VIDEO MONITORING OUTPUT|MONITORING OUTPUT|SERIAL PORT|PROCESSING UNIT|FRAME|VIDEO INPUT STATUS|VIDEO OUTPUT STATUS)/;
const lockWords: Readonly<Record<string, 'lock' | 'unlock' | 'force'>> = { O: 'lock', U: 'unlock', F: 'force' };

/** Each change is stored at once: whatever panels send, the hub does other work in between. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export type PanelClient = ReturnType<typeof createPanelClient>;

/** Sends the initial status dump at once. */
export function createPanelClient({ address, state, actions, send }: ClientOptions) {
  let shown = shownTo(state(), address);
  let isBusy = false;
  send(dumpOf(shown));

  function update(): void {
    const now = shownTo(state(), address);
    const text = updateOf(shown, now);
    shown = now;
    if (text !== '') send(text);
  }

  /** After a request, sends the changes, and the unchanged lines of the request to show which were refused. */
  function report(section: Section, indexes: readonly number[]): void {
    const before = shown[section];
    update();
    const same = indexes.filter((index) => before[index] === shown[section][index]);
    const lines = [...new Set(same)].map((index) => shown[section][index] ?? '');
    if (lines.length > 0) send(sectionText(section, lines));
  }

  /** Returns the actions that the lines request; undefined if a line is invalid, so that the hub refuses the block. */
  function understand(section: Section, lines: readonly string[]): (() => Promise<void>)[] | undefined {
    const { inputs, outputs } = state();
    const all = readItems(lines);
    const count = section === 'inputLabels' ? inputs.length + 1 : outputs.length;
    if (all === undefined || all.some(({ index }) => index >= count)) return undefined;
    // If several lines name the same number, the last one counts: a block makes no more changes than there are numbers.
    const items = [...new Map(all.map((item) => [item.index, item])).values()];
    switch (section) {
      case 'routing': {
        if (all.some(({ value }) => !/^\d{1,5}$/.test(value) || Number(value) > inputs.length)) return undefined;
        const wanted = items.map(({ index, value }) => ({ output: index, input: Number(value) }));
        const routes = wanted.map(({ output, input }) => ({ output, input: input < inputs.length ? input : null }));
        return [() => actions.route(address, routes)];
      }
      case 'locks': {
        if (all.some(({ value }) => lockWords[value] === undefined)) return undefined;
        const words = items.map(({ index, value }) => ({ index, how: lockWords[value] }));
        return words.flatMap(({ index, how }) => (how ? [() => actions.lock(address, index, how)] : []));
      }
      case 'inputLabels':
        return items
          .filter(({ index }) => index < inputs.length)
          .map(
            ({ index, value }) =>
              () =>
                actions.setInputLabel(address, index, value),
          );
      case 'outputLabels':
        return items.map(
          ({ index, value }) =>
            () =>
              actions.setOutputLabel(address, index, value),
        );
      default:
        return undefined;
    }
  }

  async function answer({ header, lines }: Block): Promise<void> {
    const section = sectionOf.get(header);
    if (header === 'PING') return send(ack);
    if (section === undefined) return send(emptySections.test(header) ? ack + writeBlock(header, []) : nak);
    if (lines.length === 0) {
      update();
      return send(ack + sectionText(section, shown[section]));
    }
    const acts = understand(section, lines);
    if (acts === undefined) return send(nak);
    for (const act of acts) {
      try {
        await act();
      } catch {
        // `report` sends the refused line again, unchanged.
      }
      await nextTurn();
    }
    send(ack);
    report(section, readItems(lines)?.map(({ index }) => index) ?? []);
  }

  return {
    /** Sends changes; while a block is handled, they follow the answer. */
    update(): void {
      if (!isBusy) update();
    },
    /** Resolves when the block is answered; the next one must wait for it. */
    async handle(block: Block): Promise<void> {
      isBusy = true;
      try {
        await answer(block);
      } finally {
        isBusy = false;
      }
      update();
    },
  };
}
