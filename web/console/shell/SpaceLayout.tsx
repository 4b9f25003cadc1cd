import { createContext, useContext } from 'react'
import { Outlet, useParams } from 'react-router'
import type { Space } from '../../../contract/spaces.ts'
import { codeOf } from '../../ui/api.ts'
import { useSpace as useSpaceQuery } from '../data/spaces.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { TitleContext } from '../ui/title.ts'
import { NotFoundPage } from './NotFoundPage.tsx'

const SpaceContext = createContext<Space | null>(null)

/** The space that the page is about. */
export const useThisSpace = (): Space => {
  const space = useContext(SpaceContext)
  if (!space) throw new Error('This page belongs into a space')
  return space
}

/** Around all pages of a space: they are shown once it is known, and to whom it is. */
export const SpaceLayout = () => {
  const { spaceId = '' } = useParams()
  const query = useSpaceQuery(spaceId)
  if (codeOf(query.error) === 'not_found') return <NotFoundPage />
  return (
    <Loaded query={query} skeleton={<PageSkeleton />}>
      {space => (
        <SpaceContext value={space}>
          <TitleContext value={space.name}>
            <Outlet key={space.id} />
          </TitleContext>
        </SpaceContext>
      )}
    </Loaded>
  )
}
