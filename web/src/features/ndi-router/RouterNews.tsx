import { VisuallyHidden } from '@mantine/core';
import { useRouting } from './routing.ts';

/** Says to a screen reader what was switched; what was not is in a toast. */
export function RouterNews() {
  const news = useRouting((state) => state.news);
  return <VisuallyHidden role="status">{news}</VisuallyHidden>;
}
