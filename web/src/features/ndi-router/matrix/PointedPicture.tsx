import type { NdiInput } from '../../../../../daemon/contract/ndi-router.ts';
import { inputText } from '../router-text.ts';
import { SourcePicture } from '../SourcePicture.tsx';
import styles from './Matrix.module.css';
import { usePointedInput } from './pointed-input.ts';

/** The picture of the input at the pointer, in the corner of the matrix. */
export default function PointedPicture({ inputs }: { inputs: ReadonlyMap<number, NdiInput> }) {
  const pointed = usePointedInput((state) => state.input);
  const input = pointed === undefined ? undefined : inputs.get(pointed);
  if (input === undefined) return null;
  return (
    <>
      <SourcePicture key={input.source} source={input.source} isOnline={input.online} size="wide" />
      <span className={styles.pointedName}>{inputText(input)}</span>
    </>
  );
}
