/** Renders a component as in the console: English texts, theme, routes. For tests only. */
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router-dom';
import { queryClient } from '../api/query-client.ts';

i18n.loadAndActivate({ locale: 'en', messages: {} });

export function renderPage(children: ReactNode, { at = '/' } = {}) {
  cleanup();
  queryClient.clear();
  return render(
    <I18nProvider i18n={i18n}>
      <MantineProvider env="test">
        <QueryClientProvider client={queryClient}>
          <MemoryRouter initialEntries={[at]}>{children}</MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>,
  );
}

export interface Asked {
  readonly path: string;
  readonly body: unknown;
}

/** Responds to calls from a table instead of a hub, and records the requests. */
export function answerCalls(answers: Readonly<Record<string, object>>): Asked[] {
  const asked: Asked[] = [];
  const respond = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const path = String(input).split('?')[0] ?? '';
    asked.push({ path, body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined });
    return Response.json(answers[path] ?? { result: 0 });
  };
  globalThis.fetch = Object.assign(respond, { preconnect: () => {} });
  return asked;
}
