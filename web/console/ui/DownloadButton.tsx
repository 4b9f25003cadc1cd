import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { MouseEvent } from 'react'

interface DownloadButtonProps {
  href: string
  label: string
  /** Asks for the page's own data: the browser cannot renew a session that has run out, and this does. */
  refresh: () => Promise<unknown>
}

/** A file by a plain link: the session's cookie goes with it. */
export const DownloadButton = ({ href, label, refresh }: DownloadButtonProps) => {
  const download = async (event: MouseEvent<HTMLAnchorElement>) => {
    event.preventDefault()
    await refresh()
    location.assign(href)
  }
  return (
    <Button
      component="a"
      href={href}
      download
      onClick={download}
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
    >
      {label}
    </Button>
  )
}
