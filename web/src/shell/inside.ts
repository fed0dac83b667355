/** What surrounds every page of signed-in users, loaded as one. */
export { default as PageFrame } from './frame/PageFrame.tsx';
export { default as SessionGuard } from './session/SessionGuard.tsx';
