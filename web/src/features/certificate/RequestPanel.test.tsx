import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import RequestPanel from './RequestPanel.tsx';

const request = '-----BEGIN CERTIFICATE REQUEST-----\nAA\n-----END CERTIFICATE REQUEST-----\n';

test('the request for the address of the page is shown, to be copied and downloaded', async () => {
  const asked = answerCalls({ '/api/cert/request': { result: 0, request } });
  renderPage(<RequestPanel requestedAt={undefined} />);
  fireEvent.click(screen.getByRole('button', { name: 'Create request' }));
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Request' });
  expect(field.value).toBe(request);
  expect(asked[0]).toEqual({ path: '/api/cert/request', body: { names: ['hub.test'], key: 'ec' } });
  expect(screen.getByRole('button', { name: 'Copy Request' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Download' })).toBeTruthy();
});

test('a request that still waits for its certificate is not replaced without a warning', () => {
  answerCalls({});
  renderPage(<RequestPanel requestedAt={Date.UTC(2026, 0, 2)} />);
  expect(screen.getByText(/^The request of .*2026.* is waiting for its certificate$/)).toBeTruthy();
});

test('a name that no certificate can have is refused at its field', async () => {
  const asked = answerCalls({});
  renderPage(<RequestPanel requestedAt={undefined} />);
  fireEvent.change(screen.getByRole('textbox', { name: 'Further names and addresses' }), {
    target: { value: 'not_a host!' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Create request' }));
  await screen.findByText('Enter an IP address or a host name');
  expect(asked).toEqual([]);
});
