import { useLingui } from '@lingui/react/macro';
import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useLayoutEffect, useRef } from 'react';
import styles from './DataTable.module.css';

interface SearchFieldProps {
  readonly text: string;
  readonly change: (text: string) => void;
}

/** Above a list. */
export function SearchField({ text, change }: SearchFieldProps) {
  const { t } = useLingui();
  const search = useRef<HTMLInputElement>(null);
  useSlashKey(search);
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

/** The slash key goes to the search, unless one is typing already; from the moment that the field can be seen. */
function useSlashKey(field: React.RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input,textarea,select,[role="dialog"]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [field]);
}
