import { Trans, useLingui } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import { IconArrowLeft, IconFilter, IconLock, IconLockOpen } from '@tabler/icons-react';
import { useState } from 'react';
import type { NdiOutput } from '../../../../daemon/contract/ndi-router.ts';
import { shownInputs } from './MatrixTab.tsx';
import { type Mark, type Marks, marksOf } from './matrix/marks.ts';
import { markTexts } from './matrix/usePlaceText.ts';
import styles from './OutputFirst.module.css';
import type { Router } from './router-query.ts';
import { inputText, outputText } from './router-text.ts';
import { useRouting } from './routing.ts';
import { SourcePicture } from './SourcePicture.tsx';
import { useStaging } from './staging.ts';
import { TakeBar, TakeSwitch } from './TakeBar.tsx';
import { UndoButton } from './UndoButton.tsx';
import type { RouterActs } from './useRouterActs.ts';

interface OutputFirstProps {
  readonly router: Router;
  readonly acts: RouterActs;
  readonly mayEdit: boolean;
  /** Outputs and sources side by side, as large buttons. */
  readonly isWall: boolean;
}

/** The user chooses an output, then a source: for touch screens, and for screens that are too small for the matrix. */
export default function OutputFirst({ router, acts, mayEdit, isWall }: OutputFirstProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<number>();
  const [filter, setFilter] = useState('');
  const marksFor = useMarks(router);
  const output = router.outputs.get(chosen ?? (isWall ? ([...router.outputs.keys()][0] ?? 0) : 0));
  const matches = (words: string) => words.toLocaleLowerCase().includes(filter.trim().toLocaleLowerCase());
  const choose = (id: number | undefined) => {
    setChosen(id);
    setFilter('');
  };
  const isChoosing = isWall || output === undefined;
  return (
    <div className={styles.page} data-wall={isWall}>
      {!isWall && (
        <div className={styles.bar}>
          {output === undefined ? (
            <TakeSwitch size="md" />
          ) : (
            <Button
              variant="default"
              size="md"
              leftSection={<IconArrowLeft size={18} aria-hidden />}
              onClick={() => choose(undefined)}
            >
              <Trans>Outputs</Trans>
            </Button>
          )}
          <UndoButton size="md" {...{ router, acts, mayEdit }} />
        </div>
      )}
      {!isWall && (
        <TextInput
          type="search"
          size="md"
          aria-label={output === undefined ? t`Filter outputs` : t`Filter sources`}
          placeholder={output === undefined ? t`Filter outputs` : t`Filter sources`}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          leftSection={<IconFilter size={17} aria-hidden />}
        />
      )}
      <div className={styles.columns}>
        {isChoosing && (
          <section aria-label={t`Outputs`} className={styles.column}>
            {isWall && (
              <h2>
                <Trans>Outputs</Trans>
              </h2>
            )}
            <ul className={styles.buttons}>
              {[...router.outputs.values()]
                .filter((one) => isWall || matches(`${one.id} ${outputText(one)} ${one.group}`))
                .map((one) => (
                  <li key={one.id}>
                    <OutputButton
                      output={one}
                      router={router}
                      marks={marksFor(one)}
                      isChosen={isWall && one.id === output?.id}
                      onChoose={() => choose(one.id)}
                    />
                  </li>
                ))}
            </ul>
          </section>
        )}
        {output && (
          <section aria-label={t`Sources for ${outputText(output)}`} className={styles.column}>
            <div className={styles.target}>
              <h2>{outputText(output)}</h2>
              <LockButton output={output} lock={acts.lock} />
            </div>
            <Sources
              {...{ router, output, isWall }}
              marks={marksFor(output)}
              matches={isWall ? () => true : matches}
              choose={(input) => acts.route(output.id, input)}
            />
          </section>
        )}
      </div>
      <TakeBar {...{ router, acts, mayEdit }} />
    </div>
  );
}

/** Returns the marks of an output, as the matrix has them. */
function useMarks({ inputs }: Router): (output: NdiOutput) => Marks {
  const asked = useRouting((state) => state.asked);
  const staged = useStaging((state) => state.staged);
  return ({ id, in: routed, substitute, applied, waiting, ...output }) => {
    const sent = output['applied-source'];
    return marksOf({
      ...{ routed, substitute, isApplied: applied, isWaiting: waiting },
      sends: sent === null ? null : [...inputs.values()].find(({ source }) => source === sent)?.id,
      ...{ asked: asked.get(id), staged: staged.get(id) },
    });
  };
}

interface OutputButtonProps {
  readonly output: NdiOutput;
  readonly router: Router;
  readonly marks: Marks;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function OutputButton({ output, router, marks, isChosen, onChoose }: OutputButtonProps) {
  const { t, i18n } = useLingui();
  const { id, lock, receivers } = output;
  const input = output.in === null ? undefined : router.inputs.get(output.in);
  const mark = marks.get(output.in);
  const substitute = output.substitute === null ? undefined : router.inputs.get(output.substitute);
  const owner = lock?.owner;
  return (
    <button type="button" className={styles.button} aria-pressed={isChosen} onClick={onChoose}>
      <span className={styles.number}>{id}</span>
      <SourcePicture
        source={output.source}
        isOnline={output.source !== null && !output.waiting && output.applied}
        size="button"
      />
      <span className={styles.names}>
        <span className={styles.name}>{outputText(output)}</span>
        <span className={styles.line}>{input === undefined ? t`None` : inputText(input)}</span>
        {mark !== undefined && mark !== 'sent' && <span className={styles.state}>{i18n._(markTexts[mark])}</span>}
        {substitute && (
          <span className={styles.state}>
            <Trans>Backup source: {inputText(substitute)}</Trans>
          </span>
        )}
      </span>
      {owner !== undefined && (
        <span role="img" aria-label={t`Locked by ${owner}`}>
          <IconLock size={18} aria-hidden />
        </span>
      )}
      {receivers > 0 && (
        <span className={styles.receivers} title={t`Connected receivers`}>
          {receivers}
        </span>
      )}
    </button>
  );
}

interface SourcesProps {
  readonly router: Router;
  readonly marks: Marks;
  readonly matches: (words: string) => boolean;
  readonly choose: (input: number | null) => void;
}

function Sources({ router, marks, matches, choose }: SourcesProps) {
  const { t } = useLingui();
  return (
    <ul className={styles.buttons}>
      <li>
        <SourceButton
          name={t`None`}
          number="–"
          source={null}
          isOnline
          mark={marks.get(null)}
          onChoose={() => choose(null)}
        />
      </li>
      {shownInputs(router)
        .filter((input) => matches(`${input.id} ${inputText(input)} ${input.group}`))
        .map((input) => (
          <li key={input.id}>
            <SourceButton
              name={inputText(input)}
              number={String(input.id)}
              source={input.source}
              isOnline={input.online}
              mark={marks.get(input.id)}
              onChoose={() => choose(input.id)}
            />
          </li>
        ))}
    </ul>
  );
}

interface SourceButtonProps {
  readonly name: string;
  readonly number: string;
  readonly source: string | null;
  readonly isOnline: boolean;
  readonly mark: Mark | undefined;
  readonly onChoose: () => void;
}

function SourceButton({ name, number, source, isOnline, mark, onChoose }: SourceButtonProps) {
  const { t, i18n } = useLingui();
  return (
    <button
      type="button"
      className={styles.button}
      data-mark={mark}
      data-online={isOnline}
      aria-pressed={mark === 'sent' || mark === 'lost' || mark === 'due'}
      onClick={onChoose}
    >
      <span className={styles.number}>{number}</span>
      <SourcePicture source={source} isOnline={isOnline} size="button" />
      <span className={styles.names}>
        <span className={styles.name}>{name}</span>
        {!isOnline && mark === undefined && <span className={styles.line}>{t`Offline`}</span>}
        {mark !== undefined && <span className={styles.state}>{i18n._(markTexts[mark])}</span>}
      </span>
    </button>
  );
}

function LockButton({ output, lock }: { output: NdiOutput; lock: (id: number) => void }) {
  const owner = output.lock?.owner;
  const Icon = owner === undefined ? IconLockOpen : IconLock;
  return (
    <Button
      variant="default"
      size="md"
      leftSection={<Icon size={18} aria-hidden />}
      aria-pressed={owner !== undefined}
      onClick={() => lock(output.id)}
    >
      {owner === undefined ? <Trans>Lock</Trans> : <Trans>Unlock, locked by {owner}</Trans>}
    </Button>
  );
}
