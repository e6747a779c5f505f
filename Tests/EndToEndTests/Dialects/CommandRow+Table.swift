// SPDX-License-Identifier: MIT

extension CommandRow {
  private static let old: Set<NamedDialect> = [.perSession, .multiplexed]
  private static let current = NamedDialect.current

  /// All commands that use the network, in the order in which they run.
  static let table = places + asking + reading + stopping + requests + later + leaving

  private static let places = [
    CommandRow("pair -", Expected(0, #"sha256:\S{43}\n"#, errors: #"paired with studio .*\n"#)),
    CommandRow("servers list --json", Expected(0, #"\{.*"name":"studio".*\}\n"#)),
    CommandRow("servers show studio", Expected(0, #"name\tstudio\n.*token\tstored\n.*"#)),
    CommandRow("servers test", Expected(0, #"studio\tok\t.*\n"#)),
    CommandRow(
      "servers devices",
      Expected(
        69,
        errors: "oppi: studio does not list devices; .*\n  hint: .*oppi token rotate\n"
      ),
      ([.deviceKeys], Expected(0, #"dev_\S+\tstudio\t[^\n]*\tcurrent\n"#))
    ),
    CommandRow(
      "workspaces",
      Expected(0, #"sha256:\S+\tdemo\tstudio\t.*sha256:\S+\twebapp\tstudio\t.*"#)
    ),
    CommandRow("models -w demo", Expected(0, #".*anthropic/claude-sonnet-4-6\tstudio\t.*"#)),
  ]

  private static let asking = [
    CommandRow("ask -w demo hello", Expected(0, "ID\n", errors: "Pi is working on it in demo\n")),
    CommandRow(
      "ask --json --wait -s last two tools",
      Expected(0, #"\{.*"response":"Both are done.",.*"state":"finished",.*\}\n"#)
    ),
    CommandRow("ask --wait -w webapp two tools", Expected(0, "Both are done.\n")),
    CommandRow("ask --wait -q -w demo fail", Expected(1, errors: "oppi: .*\n")),
    CommandRow(
      "ask --wait --on-ask fail -q -w webapp question",
      Expected(3, errors: "oppi: .*\n")
    ),
    CommandRow("stop last", Expected(0, errors: "stopped the turn of ID\n")),
    CommandRow(
      "ask --wait --image picture.png -w demo look",
      Expected(0, "The command printed: hi\n")
    ),
    CommandRow(
      "ask --json -w demo -t high -m anthropic/claude-sonnet-4-6 think",
      Expected(0, #"\{.*"model":"anthropic/claude-sonnet-4-6",.*"thinking":"high",.*\}\n"#)
    ),
    CommandRow("ask -n -w demo hello", Expected(0, ".*", errors: ".*")),
    CommandRow(
      "ask -s nothing hello",
      Expected(66, errors: "oppi: .*nothing.*\n")
    ),
  ]

  private static let reading = [
    CommandRow(
      "follow last",
      Expected(
        0,
        ".*turn finished\n",
        errors: #"Session ID in demo on studio\n(session ID is idle[^\n]*\n)?"#
      )
    ),
    CommandRow("follow last --json", Expected(0, #".*"type":"turn-finished".*"#)),
    CommandRow("show last", Expected(0, ".*The command printed: hi\n.*", errors: ".*")),
    CommandRow("show last --json", Expected(0, #"\{.*"sessionId":"ID".*\}\n"#)),
    CommandRow("show last --markdown", Expected(0, "# .*\n## Turn 1\n.*", errors: ".*")),
    CommandRow("sessions --fields state,id", Expected(0, #"(\w+\tID\n){4,}"#)),
    CommandRow(
      "sessions delete --older 1d --all-workspaces --dry-run",
      Expected(0, "", errors: "no session is that old\n")
    ),
    CommandRow("sessions", Expected(0, #"(studio/ID\t\w+\t[^\n]*\n){4,}"#)),
    CommandRow("sessions --json", Expected(0, #"\{"errors":\[\],.*"sessions":\[\{.*\}\n"#)),
    CommandRow("status", Expected(0, ".*sessions: .*\n")),
    CommandRow("status --json", Expected(0, #"\{.*"status":"\w+".*"unreachable":\[\].*\}\n"#)),
    CommandRow(
      "search two",
      Expected(0, #"(studio/ID\t\w+\tTIME\t[^\n]*\n){2}"#),
      (
        [.perSession],
        Expected(69, errors: "oppi: studio does not support search; it is older .*\n")
      )
    ),
    CommandRow("history", Expected(0, #"\d+\tTIME\t.*\n1\tTIME\t[^\n]*\n"#)),
    CommandRow("__complete -- ask -s ''", Expected(0, ".*")),
    CommandRow("__complete -- ask -w ''", Expected(0, ".*demo.*")),
  ]

  private static let stopping = [
    CommandRow("ask -q -w demo silent", Expected(0, "ID\n")),
    CommandRow(
      "follow --timeout 300ms last",
      Expected(124, ".*", errors: "Session ID in demo on studio\noppi: .*\n")
    ),
    CommandRow("stop last", Expected(0, errors: "stopped the turn of ID\n")),
    CommandRow("stop last", Expected(0, errors: "session ID has no running turn\n")),
    CommandRow("follow last", Expected(4, ".*", errors: "Session .*stopped\n.*")),
    CommandRow("stop --session last", Expected(0, errors: "ended session ID\n")),
    CommandRow(
      "stop --idle --yes",
      // Sessions are older than a minute on a busy machine.
      Expected(0, ".*", errors: #"(no session has been idle for a minute|ended \d+ sessions?)\n"#)
    ),
    CommandRow("ask --wait -s last and on", Expected(0, "The command printed: hi\n")),
  ]

  private static let note =
    "note: studio: tools run without approval unless an extension asks\n"

  private static let requests = [
    CommandRow(
      "approvals",
      Expected(0, #"REQUEST\t\w+\tbash\tgit push origin main\tGit push\t\d+\tstudio/ID\tdeploy\n"#),
      pending: "deploy",
      (
        current,
        Expected(0, #"REQUEST\texfiltration\tselect\t[^\n]*\tstudio/ID\tdeploy\n"#, errors: note)
      )
    ),
    CommandRow("approvals show REQUEST", Expected(0, ".*git push origin main\n.*", errors: ".*")),
    CommandRow(
      "approve REQUEST",
      Expected(0, #"approved\tREQUEST\tonce\tbash: git push origin main\n"#),
      (current, Expected(0, #"approved\tREQUEST\tonce\t[^\n]*git push origin main[^\n]*\n"#))
    ),
    CommandRow(
      "answer REQUEST Yes",
      Expected(66, errors: "oppi: no session 'REQUEST'\n.*"),
      (current, Expected(5, errors: "oppi: request REQUEST is no longer .*\n"))
    ),
    CommandRow("deny REQUEST", Expected(0, #"denied\tREQUEST\t.*\n"#), pending: "wipe"),
    CommandRow("deny REQUEST", Expected(5, errors: "oppi: request REQUEST is no longer .*\n")),
    CommandRow(
      "approvals log",
      Expected(0, #"TIME\tdeny\t.*TIME\tallow\t.*"#),
      (
        current,
        Expected(0, #"TIME\tdeny\t.*TIME\tallow\t.*"#, errors: ".*studio keeps no record.*\n")
      )
    ),
    CommandRow("ask -q -w demo question", Expected(0, "ID\n")),
    CommandRow(
      "answer last 1 1",
      Expected(0, errors: "answer sent; ID resumed\n"),
      // These servers show a question only to connected clients.
      ([.perSession], Expected(5, errors: "oppi: session ID has no pending question\n.*"))
    ),
    CommandRow("stop last", Expected(0, errors: "(session ID has no|stopped the) .*turn.*\n")),
  ]

  private static let later = [
    CommandRow("outbox flush", Expected(0, errors: "no queued prompts\n")),
    CommandRow(
      "schedule list --all",
      Expected(0, errors: "no schedules\n"),
      (current, Expected(0, #"studio/nightly\t[^\n]*\n"#))
    ),
    CommandRow(
      "schedule run studio/nightly",
      Expected(66, errors: "oppi: studio does not run schedules.*\n"),
      (current, Expected(0, "studio/ID\n", errors: "studio runs studio/nightly\n"))
    ),
    CommandRow(
      "doctor",
      Expected(
        0,
        #".*ok\tservers\tstudio answers in .* matches the pinned certificate and accepts the token\t.*"#,
        errors: ".*"
      )
    ),
    CommandRow("pick workspaces --gui never", Expected(0, "ID\n", errors: ".*")),
    CommandRow("new -w demo --print-target", Expected(0, ".*")),
  ]

  private static let leaving = [
    CommandRow("servers rename studio office", Expected(0, errors: "renamed studio to office\n")),
    CommandRow(
      "servers revoke --yes DEVICE",
      Expected(69, errors: "oppi: office does not list devices.*\n"),
      ([.deviceKeys], Expected(0, ".*", errors: "revoked .*\n"))
    ),
    CommandRow(
      "ask -w office/demo hello",
      Expected(0, "ID\n", errors: "Pi is working on it in demo\n"),
      ([.deviceKeys], Expected(77, errors: "oppi: office has revoked this device\n.*"))
    ),
    CommandRow("servers forget office", Expected(0, errors: "removed office\n")),
    CommandRow("workspaces", Expected(78, errors: "oppi: not paired .*")),
  ]
}
