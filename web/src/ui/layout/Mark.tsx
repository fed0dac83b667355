/** The product's mark: a semaphore with its arm raised, "line clear". */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect x="7.5" y="3" width="4" height="26" rx="1.4" fill="currentColor" />
      <path d="M9 9.6 28 2.6l-.7 3.6 2 3L10.700 16.1z" fill="var(--sb-live)" />
      <circle cx="9.5" cy="12.8" r="3.2" fill="var(--sb-panel)" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}
