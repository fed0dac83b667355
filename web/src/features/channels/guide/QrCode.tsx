import encodeQR from 'qr';
import styles from './EncoderGuide.module.css';

/** Light modules around the code, which scanners need. */
const border = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** A QR code, drawn by the page itself: the text never leaves the browser. */
export function QrCode({ text, label }: QrCodeProps) {
  const rows = encodeQR(text, 'raw', { border, ecc: 'low' });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className={styles.code} viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path.join('')} shapeRendering="crispEdges" />
    </svg>
  );
}
