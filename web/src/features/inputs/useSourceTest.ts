import { useCallback, useEffect, useRef, useState } from 'react';
import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import type { SourceTest } from '../../../../daemon/contract/inputs.ts';
import { inputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

type TestState =
  | { readonly is: 'idle' | 'running' }
  | { readonly is: 'done'; readonly outcome: SourceTest }
  | { readonly is: 'failed'; readonly error: unknown };

type TestBody = BodyInput<typeof inputApi.test>;

export interface SourceTestRun {
  readonly state: TestState;
  /** Starts a test and aborts the running one. `place` returns true if it shows the refusal at its field. */
  readonly begin: (body: TestBody, place?: (error: unknown) => boolean) => void;
  readonly cancel: () => void;
}

const idle: TestState = { is: 'idle' };

/** One test at a time. The hub stops the test when the request ends, so leaving the page stops it, too. */
export function useSourceTest(): SourceTestRun {
  const [state, setState] = useState<TestState>(idle);
  const running = useRef<AbortController>(undefined);
  const cancel = useCallback(() => {
    running.current?.abort();
    setState(idle);
  }, []);
  const begin = useCallback((body: TestBody, place?: (error: unknown) => boolean) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const settle = (next: TestState) => {
      if (!own.signal.aborted) setState(next);
    };
    setState({ is: 'running' });
    call(inputApi.test, { body, signal: own.signal }).then(
      (outcome) => settle({ is: 'done', outcome }),
      (error: unknown) => settle(!own.signal.aborted && place?.(error) ? idle : { is: 'failed', error }),
    );
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  return { state, begin, cancel };
}
