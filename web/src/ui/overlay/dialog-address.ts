import { useCallback, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';

/** Dialog of all shortcuts, which every page has; no page uses its name for its own dialog. */
export const keySheetName = 'keys';

export interface DialogAddress {
  /** Name of the open dialog. */
  readonly name: string | undefined;
  /** Id of the object that the dialog is about. */
  readonly id: number | undefined;
  readonly open: (name: string, id?: number) => void;
  readonly close: () => void;
}

/** The open dialog is part of the URL: it can be linked to, and Back closes it. */
export function useDialogAddress(): DialogAddress {
  const [query, setQuery] = useSearchParams();
  const navigate = useNavigate();
  const { state } = useLocation();
  const isOurs = (state as { isDialog?: boolean } | null)?.isDialog === true;
  const id = query.get('id');
  const open = useCallback(
    (name: string, about?: number) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before);
          next.set('dialog', name);
          if (about !== undefined) next.set('id', String(about));
          return next;
        },
        { state: { isDialog: true } },
      ),
    [setQuery],
  );
  const here = useRef<URLSearchParams | undefined>(undefined);
  useLayoutEffect(() => {
    here.current = query;
    return () => {
      here.current = undefined;
    };
  }, [query]);
  const close = useCallback(() => {
    // An action started in the dialog may finish after the user has moved to another page, which must not be left.
    if (here.current?.has('dialog') !== true) return;
    // A dialog opened from the page goes back in history; one opened by a link is removed from the URL.
    if (isOurs) return void navigate(-1);
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('dialog');
        next.delete('id');
        return next;
      },
      { replace: true },
    );
  }, [isOurs, navigate, setQuery]);
  return { name: query.get('dialog') ?? undefined, id: id === null ? undefined : Number(id), open, close };
}
