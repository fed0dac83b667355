/** The name that is proposed for a copy. */
import { limits } from '../../../../daemon/contract/limits.ts';
import { countedLength } from '../../../../daemon/contract/rules.ts';

/** `word` follows the name, and a number if that name is taken; a long name is cut. A copy of a copy has the word once. */
export function copyName(name: string, taken: readonly string[], word: string): string {
  const [stem = name] = name.split(new RegExp(` ${word}(?: \\d+)?$`));
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? ` ${word}` : ` ${word} ${number}`;
    const proposed = cut(stem, limits.name.max - countedLength(suffix)) + suffix;
    if (!taken.includes(proposed)) return proposed;
  }
}

/** Cuts between characters as they are seen, so that no accent is lost. */
function cut(text: string, length: number): string {
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (countedLength(kept + segment) > length) break;
    kept += segment;
  }
  return kept.trimEnd();
}
