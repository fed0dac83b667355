/** Keys that act on the active crosspoint or header of the matrix. `grid-moves.ts` has the keys that move it. */

export interface Pressed {
  readonly key: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

type KeyAct = 'press' | 'clear' | 'lock' | 'undo' | 'take' | 'foldColumns' | 'foldRows';

const plain: Readonly<Record<string, KeyAct>> = {
  enter: 'press',
  ' ': 'press',
  delete: 'clear',
  backspace: 'clear',
  l: 'lock',
  u: 'undo',
  g: 'foldColumns',
};

export function actOfKey({ key, ctrl, alt, shift }: Pressed): KeyAct | undefined {
  if (alt) return undefined;
  if (ctrl) return key === 'Enter' ? 'take' : undefined;
  const act = plain[key.toLowerCase()];
  return act === 'foldColumns' && shift ? 'foldRows' : act;
}
