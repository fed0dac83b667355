/** The commands of the palette, and the search in them. */
export type CommandGroup = 'pages' | 'actions' | 'channels' | 'inputs' | 'outputs';

export interface Command {
  readonly group: CommandGroup;
  readonly text: string;
  readonly path: string;
}

/** With more results, users type another letter rather than read on. */
const maxPerGroup = 8;

const normal = (text: string) => text.toLocaleLowerCase().trim();

/** The text must contain every word; texts that start with the search come first. Groups stay together, in order. */
export function findCommands(commands: readonly Command[], search: string): Command[] {
  const wanted = normal(search);
  const words = wanted.split(/\s+/);
  const fitting = commands.filter(({ text }) => words.every((word) => normal(text).includes(word)));
  const begins = ({ text }: Command) => normal(text).startsWith(wanted);
  const groups = Map.groupBy(fitting, ({ group }) => group);
  return [...groups.values()].flatMap((group) =>
    [...group.filter(begins), ...group.filter((command) => !begins(command))].slice(0, maxPerGroup),
  );
}
