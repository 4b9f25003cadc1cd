import type { TFunction } from 'i18next'
import type { Answer } from '../../contract/operation.ts'
import type { Operations } from '../../contract/operations.ts'

export type GuestLink = Answer<Operations['listLinks']>['items'][number]

export const personOfLink = ({ username }: GuestLink, t: TFunction) => username ?? t('links.anyone')

/** What the link is called in a list. */
export const nameOfLink = (link: GuestLink, t: TFunction) => link.label ?? personOfLink(link, t)

/** Why a link that has not ended can't be used: whoever made it may make none at the moment. */
export const whyInactive = ({ createdByName }: GuestLink, t: TFunction) =>
  createdByName === null ? t('links.inactive.gone') : t('links.inactive.text', { name: createdByName })
