import { expect, test } from 'bun:test';
import { render } from '@testing-library/react';
import { useWatching, watchingEvent } from './watching.ts';

function Preview({ isPlaying }: { isPlaying: boolean }) {
  useWatching(isPlaying);
  return null;
}

test('only a preview that plays counts as use', () => {
  let seen = 0;
  const count = () => {
    seen++;
  };
  document.addEventListener(watchingEvent, count);
  const page = render(<Preview isPlaying={false} />);
  expect(seen).toBe(0);
  page.rerender(<Preview isPlaying />);
  expect(seen).toBe(1);
  page.unmount();
  document.removeEventListener(watchingEvent, count);
});
