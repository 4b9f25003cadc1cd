import { createContext, useContext, useEffect } from 'react'

/** The name of what the page belongs to, such as the space. */
export const TitleContext = createContext<string | undefined>(undefined)

/** What tabs, bookmarks and history call this page. */
export const useTitle = (title: string | undefined) => {
  const within = useContext(TitleContext)
  useEffect(() => {
    const parts = [title, within === title ? undefined : within, 'Lectern']
    document.title = parts.filter(part => part !== undefined).join(' · ')
  }, [title, within])
}
