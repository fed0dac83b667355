import { useEffect, useRef, useState } from 'react';
import { watchPicture } from './preview-link.ts';
import styles from './Thumbnail.module.css';

interface ThumbnailPictureProps {
  /** `previewIdOf` of a channel or of one of its inputs. */
  readonly imageId: string;
  readonly alt: string;
}

/** The newest picture, requested only while the element is in view. */
export default function ThumbnailPicture({ imageId, alt }: ThumbnailPictureProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [isInView, setInView] = useState(false);
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => setInView(seen.at(-1)?.isIntersecting === true), {
      rootMargin: '80px',
    });
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => (isInView ? watchPicture(imageId, setAddress) : undefined), [imageId, isInView]);
  return (
    <span ref={place} className={styles.place}>
      {address !== undefined && <img className={styles.picture} src={address} alt={alt} decoding="async" />}
    </span>
  );
}
