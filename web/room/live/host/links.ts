import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePages } from '../../../ui/pages.ts'
import { useLive } from '../context.ts'
import { refusalText } from '../refusal.ts'

/** Nobody tells of it when a link is used, or made elsewhere. */
const LOOK_MS = 15_000
const COPIED_MS = 2000

export const linksKeyOf = (roomId: string) => ['links', roomId]

const useHere = () => {
  const { client, access } = useLive().joinedCall
  return { client, at: { spaceId: access.spaceId, roomId: access.roomId } }
}

/** Those that can still be used, or could if their makers were moderators again. */
export const useOpenLinks = () => {
  const { client, at } = useHere()
  return usePages(linksKeyOf(at.roomId), query => client.listLinks({ ...at, state: 'open', ...query }), {
    refetchInterval: LOOK_MS,
    gcTime: 0,
  })
}

export const useLinkGuests = (linkId: string) => {
  const { client, at } = useHere()
  return usePages(['linkGuests', linkId], query => client.listLinkGuests({ ...at, linkId, ...query }), { gcTime: 0 })
}

/** Copies the link; where the page may not, as in some frames, `url` is there to be taken. */
export const useCopiedLink = (linkId: string) => {
  const { t } = useTranslation()
  const { client, at } = useHere()
  const { say } = useLive()
  const [isCopied, setCopied] = useState(false)
  const [url, setUrl] = useState<string | null>(null)
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.getLinkUrl({ ...at, linkId }),
    onSuccess: async ({ url }) => {
      try {
        await navigator.clipboard.writeText(url)
        setCopied(true)
        setTimeout(() => setCopied(false), COPIED_MS)
      } catch {
        setUrl(url)
      }
    },
    onError: error => say(refusalText(error, t)),
  })
  return { copy: () => mutate(), isCopied, isPending, url }
}
