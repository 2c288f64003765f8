import { type ReactElement, useEffect, useState } from 'react';

/** A link that saves a text with a secret as a file, made by the page: no server gets to know of it. */
export function YamlFile({ name, text }: { readonly name: string; readonly text: string }): ReactElement {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return (
    <a href={address} download={name}>
      Download {name}
    </a>
  );
}
