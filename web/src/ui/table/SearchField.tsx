import { useLingui } from '@lingui/react/macro';
import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useCallback, useRef } from 'react';
import { useSingleKey } from '../overlay/single-keys.ts';
import styles from './DataTable.module.css';

interface SearchFieldProps {
  readonly text: string;
  readonly change: (text: string) => void;
}

/** Search field above a list. */
export function SearchField({ text, change }: SearchFieldProps) {
  const { t } = useLingui();
  const search = useRef<HTMLInputElement>(null);
  useSingleKey(
    '/',
    useCallback(() => search.current?.focus(), []),
  );
  return (
    <TextInput
      ref={search}
      className={styles.search ?? ''}
      type="search"
      size="xs"
      aria-label={t`Search`}
      placeholder={t`Search`}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={
        text !== '' && <CloseButton size="sm" aria-label={t`Clear the search`} onClick={() => change('')} />
      }
    />
  );
}
