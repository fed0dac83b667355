/** The commands of the palette, and the search in them. */
export type CommandGroup =
  | 'pages'
  | 'actions'
  | 'devices'
  | 'channels'
  | 'acts'
  | 'inputs'
  | 'outputs'
  | 'servers'
  | 'ndi'
  | 'users'
  | 'settings';

interface Named {
  readonly group: CommandGroup;
  readonly text: string;
  /** Further words by which it is found. */
  readonly words?: string;
  /** The hub has found it by the text of the search. */
  readonly isFound?: true;
}

/** Leads to an address, or does something at once or after a question. */
export type Command = Named & ({ readonly path: string } | { readonly run: () => void });

/** With more results, users type another letter rather than read on. */
const maxPerGroup = 8;
/** Not offered before something is typed: there is one for each channel or setting. */
const onlySearched: ReadonlySet<CommandGroup> = new Set(['acts', 'ndi', 'users', 'settings']);

const normal = (text: string) => text.toLocaleLowerCase().trim();

/** The text must contain every word; texts that start with the search come first. Groups stay together, in order. */
export function findCommands(commands: readonly Command[], search: string): Command[] {
  const wanted = normal(search);
  const words = wanted.split(/\s+/);
  const fitting = commands.filter((command) => {
    if (command.isFound) return wanted !== '';
    if (wanted === '' && onlySearched.has(command.group)) return false;
    const found = normal(`${command.text} ${command.words ?? ''}`);
    return words.every((word) => found.includes(word));
  });
  const begins = ({ text }: Command) => normal(text).startsWith(wanted);
  const groups = Map.groupBy(fitting, ({ group }) => group);
  return [...groups.values()].flatMap((group) =>
    [...group.filter(begins), ...group.filter((command) => !begins(command))].slice(0, maxPerGroup),
  );
}
