import { VisuallyHidden } from '@mantine/core';
import { useRouting } from './routing.ts';

/** Announces switched outputs to screen readers. A toast shows the outputs that were not switched. */
export function RouterNews() {
  const news = useRouting((state) => state.news);
  return <VisuallyHidden role="status">{news}</VisuallyHidden>;
}
