// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiPrompts

extension Topics {
  static let states = HelpTopic(
    name: "states",
    summary: "The states of sessions and the outcomes of turns",
    body: """
      Every list, bar, menu, screen and notification uses these words for the state of a session, the \
      most urgent first:

      \(SessionPhase.table)

      A request is an approval or a question, which is pending until it is decided. A session, a turn \
      or a tool call that waits for one is '\(RequestNeed.approval.state)' or \
      '\(RequestNeed.answer.state)', with the sign !. It is never shown as running, except in \
      lists while it waits in a dialog of kind editor, which servers report only to those that follow \
      the session. The status of 'oppi status' is the state of the most urgent session; offline means \
      that no server has answered for 5 minutes.

      The last turn of a session has an outcome:

        finished  the agent answered; marked with a check mark
        empty     the turn ended without an answer; in texts, 'no answer'
        failed    the model or the agent failed
        limited   a usage limit was reached; in texts, 'usage limit'
        stopped   the turn was stopped, or its session ended
        unknown   the end was not seen, and no other source shows the outcome

      In JSON, phase has the state of a session. The member state is older: of a session it is done \
      instead of ended, and of 'oppi ask', 'oppi show' and 'oppi follow' it is the outcome of the turn, \
      or waiting or running. The member status of 'oppi status' is awaitingApproval or awaitingAnswer \
      for waiting, error for failed, processing for running, and completed for an idle session whose \
      turn finished in the last 15 minutes. 'oppi sessions --state done' is the same as --state ended.
      """
  )
}

extension SessionPhase {
  /// Each word with its meaning, one per line, for a page of help.
  static var table: String {
    allCases.map { phase in
      "  \(phase.word)\(String(repeating: " ", count: 10 - phase.word.count))\(phase.meaning)"
    }
    .joined(separator: "\n")
  }
}

extension Topics {
  static let dialects = HelpTopic(
    name: "dialects",
    summary: "The supported servers, and how they differ",
    body: """
      These servers are supported. What a server speaks is detected from what it offers and \
      answers, and stored; 'oppi servers show' prints its name:

          deviceKeys       0.47 and later: a key of this machine; dialogs
          sessionSockets   0.4 to 0.46: a token; dialogs
          multiplexed      spring 2026: a token; the server's own gate
          perSession       before 2026-02-22: a token; the server's own gate

      The gate of a server holds tool calls until they are approved, and names the tool, its \
      arguments and the risk. Servers without a gate run tools without approval unless an \
      extension asks in a dialog, which has only texts. 'oppi approvals' lists both. A yes-or-no \
      dialog is approved or denied; for others use 'oppi answer ID VALUE'. Read the text of a \
      dialog with 'oppi approvals show ID' before you answer.

      An access token is requested again when it expires, at most once by all processes. A session \
      stream is closed with its token and opened again; nothing is lost. If a server is updated, \
      its old token is exchanged for a device key if the server allows it (0.47 and 0.48); \
      otherwise pair again.

      Only servers since 0.47 have a list of devices ('oppi servers devices'), and only servers \
      since 0.46 run schedules ('oppi schedule list --all').
      """
  )

  static let keys = HelpTopic(
    name: "keys",
    summary: "Device keys, and programs that keep them",
    explains: ["--key-command"],
    body: """
      'oppi pair' makes a P-256 key for each server since 0.47 and enrols it. The private key is in \
      credentials.json, or in the systemd credential oppi-SERVER: {"deviceId": "dev_...", \
      "privateKey": "BASE64"}. The server stores the public key. 'oppi servers revoke' removes a \
      machine from a server.

      With 'oppi pair --key-command COMMAND' a program keeps the private key, for example in a TPM, \
      on a smart card or in an agent. COMMAND is split at blanks, stored as the list keyCommand in \
      servers.json, and run without a shell, with one more argument:

          public-key   print the public key: PEM, or the same DER, or its base64
          sign         sign standard input with ECDSA, SHA-256: DER, or its base64

      It is called while pairing and whenever a token expires, about every 10 minutes while you use \
      the server. It must exit with status 0 within 10 s and print at most 16 KiB; its standard \
      error is shown. 'oppi pair' checks a signature before it uses the invite. Pairing again uses \
      the same program. 'oppi examples show keys' prints a program for openssl, with the commands \
      for a TPM and for PKCS#11.
      """
  )
}

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

extension Topics {
  static let costs = HelpTopic(
    name: "costs",
    summary: "Costs, budgets and usage limits",
    explains: ["DOLLARS"],
    body: """
      Costs are in US dollars, by the server's figures. A server reports what a session has cost so \
      far; the cost of a turn is the increase. DOLLARS is an amount such as 2.50, with at most four \
      decimals.

          oppi ask -w api --wait --max-cost 2.50 'review the design'
          oppi shortcuts add tests -w api --wait --max-cost 5 'run the tests'
          oppi config set -w studio/api budget.day 10
          oppi config set budget.month 200
          oppi history --costs

      --max-cost stops a turn as soon as the server reports that it costs more: state stopped, \
      status 4, reason budget. A model's answer is counted when it is complete, so the cost can \
      exceed the amount by one answer. A turn that ends before the server reports the cost has the \
      state finished, and its answer is printed, also with the status 4 and the reason budget.

      budget.day and budget.month limit the costs of all sessions of a workspace, of any client, on \
      one day or in one month of local time. A prompt that would start when a budget is used up is \
      not sent: status 75, error over-budget; with --queue it is tried again later, with the budget \
      that applied when it was queued. With --wait the \
      rest of the budget also limits the turn. With -s the settings for all workspaces apply, not \
      those of one workspace; chats are not limited. The first prompt with a budget begins the record: \
      what sessions of earlier months have cost is not counted. Checking such a budget takes one \
      request to the server; prompts without a budget have no such request. Without \
      --wait, a turn is not stopped when the budget runs out.

      'oppi history --costs' sums the costs of the prompts of this machine. The cost of a prompt \
      without --wait is known only if a later command has listed its session. The tab Costs of 'oppi \
      console' shows the same costs by day and by workspace, and how much of each budget is used.

      A turn that fails because of a usage limit of the model's provider has the state limited and \
      the status 75. resetAt is the time of the reset, if the provider states it: as a time in UTC, \
      or as the time to wait. It is never estimated. A prompt that is refused because of a limit \
      fails at once; --queue keeps it until the reset. --on-limit wait or queue continues the turn \
      after the reset; a shortcut can have the member on-limit.
      """
  )
}

extension Topics {
  static let shortcutFile = HelpTopic(
    name: "shortcut-file",
    summary: "The file of a shortcut",
    explains: ["NAME=VALUE"],
    body: """
      A shortcut is a file shortcuts/NAME.json, JSON with comments. 'oppi shortcuts add' creates \
      it, 'oppi shortcuts edit NAME' opens it in your editor; you can also edit it directly. \
      'oppi run' fails if a member is unknown or has an invalid value:

          {
            "workspace": "studio/api",
            "prompt": "review the branch {{branch}}",
            "variables": {"branch": "main"},
            "timeout": "10m"
          }

      A prompt of several lines can be in the text file NAME.txt in the same folder; the \
      shortcut then has the member promptFile instead of prompt.
      """,
    lists: [
      HelpList(
        "Members of a shortcut",
        Shortcut.shape.rows + [
          HelpRow(
            Shortcut.promptFileMember,
            "Instead of prompt: NAME.txt, the file with the prompt"
          )
        ]
      )
    ]
  )
}
