/** What the palette offers, and what of it fits a search. */
export type CommandGroup = 'pages' | 'actions' | 'channels' | 'inputs' | 'outputs';

export interface Command {
  readonly group: CommandGroup;
  readonly text: string;
  readonly path: string;
}

/** More than that nobody reads: one types another letter. */
const mostPerGroup = 8;

const normal = (text: string) => text.toLocaleLowerCase().trim();

/** Every word has to be in the text; what begins with the search comes first. Groups stay together, in their order. */
export function findCommands(commands: readonly Command[], search: string): Command[] {
  const wanted = normal(search);
  const words = wanted.split(/\s+/);
  const fitting = commands.filter(({ text }) => words.every((word) => normal(text).includes(word)));
  const begins = ({ text }: Command) => normal(text).startsWith(wanted);
  const groups = Map.groupBy(fitting, ({ group }) => group);
  return [...groups.values()].flatMap((group) =>
    [...group.filter(begins), ...group.filter((command) => !begins(command))].slice(0, mostPerGroup),
  );
}
