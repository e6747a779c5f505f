// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  static let checks = HelpTopic(
    name: "checks",
    summary: "Conditions, checked answers and chains",
    body: """
      Each of these is an option of 'oppi ask' or of 'oppi shortcuts add', or of both. All but the \
      conditions require --wait.

      A condition decides whether a shortcut sends its prompt. If it is not met, no prompt is sent:

          oppi shortcuts add bugs --when ./bugs --when-is changed 'see {{when}}'

      --schema FILE requires an answer in JSON. The schema is a subset of JSON Schema: type, const, \
      enum, minimum, maximum, minLength, maxLength, minItems, maxItems, required, properties, \
      additionalProperties (true or false) and items; title, description, default, examples, \
      $schema, $id and $comment are ignored. A schema with any other keyword is refused. The answer \
      may be in a fenced block. Only the JSON is printed, as the agent wrote it:

          oppi ask -w api --wait --schema v.json 'which version?' | jq -r .v

      --verify COMMAND runs a command line in the shell of this machine, with the answer as its \
      standard input. Its exit status decides whether the turn has succeeded. With --verify-retries \
      N the end of its output goes to the agent, which tries again in the same session:

          oppi ask --wait --verify 'make test' --verify-retries 2 'fix the test'

      --then NAME runs a shortcut after a successful turn. {{answer}} in its prompt is the answer, \
      as text (at most 65,536 characters). A shortcut may name another one in 'then': at most 5 \
      shortcuts follow the first prompt, without a loop, which is checked before it is sent. Each \
      run prints its result and has the whole --timeout, and the exit status is that of the last \
      one. If the program ends between two turns, the next prompt is not sent; the member 'after' \
      in 'oppi history --json' names the preceding turn.

          oppi shortcuts add report -w docs 'report this: {{answer}}'
          oppi ask -w api --wait --then report 'what has changed this week?'
      """
  )
}
