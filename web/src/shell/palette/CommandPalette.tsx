import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { areSingleKeysOn } from '../../ui/overlay/single-keys.ts';
import styles from './CommandPalette.module.css';
import { type Command, type CommandGroup, findCommands } from './commands.ts';
import { useCommands } from './useCommands.ts';
import { paletteKeys } from './usePaletteKey.ts';

const groupNames: Record<CommandGroup, MessageDescriptor> = {
  pages: msg`Pages`,
  actions: msg`Actions`,
  devices: msg`Devices`,
  channels: msg`Channels`,
  inputs: msg`Inputs`,
  outputs: msg`Outputs`,
  acts: msg`Operate channels`,
  servers: msg`Destinations`,
  ndi: msg`NDI Router`,
  users: msg`Users`,
  settings: msg`Settings`,
};

/** Command palette: pages, objects by name, and actions. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const id = useId();
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(0);
  const found = findCommands(useCommands(search), search);
  // The results can shrink while the palette is open.
  const at = Math.min(active, found.length - 1);
  // Replaces the history entry of this dialog, so that Back leads to the page where it was opened.
  const choose = (command: Command) => {
    if ('path' in command) return void navigate(command.path, { replace: true });
    onClose();
    command.run();
  };
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const onKey = (event: KeyboardEvent) => {
    const chosen = found[at];
    const step = steps[event.key];
    // During IME composition, for example in Chinese, the keys belong to the input method.
    if (event.nativeEvent.isComposing || chosen === undefined) return;
    if (event.key === 'Enter') choose(chosen);
    if (step !== undefined) setActive((at + step + found.length) % found.length);
    if (step !== undefined || event.key === 'Enter') event.preventDefault();
  };
  return (
    <Dialog title={t`Go to`} onClose={onClose} size={520}>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={t`Search`}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        placeholder={t`Page, object, serial number, setting, or “stop …”`}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKey}
      />
      <CommandList id={id} found={found} active={at} onChoose={choose} />
      <p className={styles.keys}>
        <Keys />
      </p>
    </Dialog>
  );
}

interface CommandListProps {
  readonly id: string;
  readonly found: readonly Command[];
  readonly active: number;
  readonly onChoose: (command: Command) => void;
}

function CommandList({ id, found, active, onChoose }: CommandListProps) {
  const { i18n, t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newly selected option must be scrolled into view
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active, found.length]);
  const numbered = found.map((command, at) => ({ ...command, at }));
  return (
    <div className={styles.box}>
      <div ref={box} id={`${id}-list`} className={styles.list} role="listbox" aria-label={t`Search results`}>
        {[...Map.groupBy(numbered, ({ group }) => group)].map(([group, commands]) => (
          // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group of options
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <div id={`${id}-${group}`} className={styles.group}>
              {i18n._(groupNames[group])}
            </div>
            {commands.map(({ at, ...command }) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has focus and keys
              <div
                key={at}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === active}
                className={styles.option}
                onClick={() => onChoose(command)}
              >
                {command.text}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className={styles.none} role="status">
        {found.length === 0 && <Trans>Nothing matches the search</Trans>}
      </p>
    </div>
  );
}

/** The global shortcuts, shown to users of the keyboard. */
function Keys() {
  const open = paletteKeys.join(' ');
  if (!areSingleKeysOn()) {
    return (
      <Trans>
        <kbd>{open}</kbd> opens this from every page, <kbd>Esc</kbd> closes. Single keys are switched off.
      </Trans>
    );
  }
  return (
    <Trans>
      <kbd>{open}</kbd> opens this from every page, <kbd>/</kbd> goes to the search of a list, <kbd>Esc</kbd> closes,{' '}
      <kbd>?</kbd> shows all keys.
    </Trans>
  );
}
