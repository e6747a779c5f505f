// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  static let accessible = HelpTopic(
    name: "accessible",
    summary: "Output for screen readers and Braille displays",
    explains: ["--accessible"],
    body: """
      The accessible mode prints whole lines in their order. Nothing is redrawn, there is no \
      spinner and no running clock, and no control sequence moves the cursor. The first line says \
      that the mode is on, and how to leave it. It is enabled by the first of these that is set:

          --accessible      the option, of any command
          ACCESSIBLE        the environment variable; 0 disables the mode
          accessible        the setting: oppi config set accessible true

      It applies to chat, console, follow, ask --follow, and the commands that start them. Each \
      line begins with a label: you, agent, tool, output, needs approval, question, news. The \
      result or the state comes first, and times come last. Thinking is not printed.

      The terminal edits the line that you type. A request is printed in full with numbered \
      choices: each line of a call begins with 'line' and its number, so that no text of the call \
      can be taken for a line of oppi. Only a line that is exactly a number or the text of a choice \
      decides it, and only if it was typed after the whole text was printed for 1 second. An empty \
      line decides nothing. What you had typed before is set aside and printed; it is neither sent \
      nor an answer. A question mark prints the request again. Let your screen reader speak all \
      punctuation when you read a call: by default most of them leave out hyphens and slashes, as \
      in rm -rf. A question is answered by a number, by numbers \
      with commas, or by your own text if that is allowed; /cancel cancels it.

      'oppi console' is a menu of numbered lists. A number stays with its item until the list is \
      printed again; a choice of an item that has changed meanwhile is refused. 0 or an empty line \
      goes back, ? explains, more prints the next part of a list, r queries the servers, q leaves. \
      Changes that cannot be undone need the word yes. What happens meanwhile is printed as a line \
      that begins with news, at most once a second. In place of 'oppi approvals --decide', which \
      draws on the whole screen, use 'oppi approvals show', 'oppi approve' and 'oppi deny'.

      In the normal mode the cursor of the terminal stands on the selected row or in the text that \
      you type. OPPI_REDUCE_MOTION disables animations, NO_COLOR colours; no information is only in \
      a colour. In pipes all commands print lines.
      """
  )
}
