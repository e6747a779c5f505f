// SPDX-License-Identifier: MIT

extension CommandRow {
  private static let old: Set<NamedDialect> = [.perSession, .multiplexed]
  private static let current = NamedDialect.current

  /// What a user does with a server, in this order.
  static let table = places + asking + reading + stopping + requests + later + leaving

  private static let places = [
    CommandRow("pair -", Expected(0, #"sha256:\S{43}\n"#, errors: #"paired with studio .*\n"#)),
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
  ]

  private static let asking = [
    CommandRow("ask -w demo hello", Expected(0, "ID\n", errors: "Pi is working on it in demo\n")),
    CommandRow(
      "ask --json --wait -s last two tools",
      Expected(0, #"\{.*"response":"Both are done.",.*"state":"finished",.*\}\n"#)
    ),
    CommandRow("ask --wait -w webapp two tools", Expected(0, "Both are done.\n")),
    CommandRow(
      "ask --wait --image picture.png -w demo look",
      Expected(0, "The command printed: hi\n")
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
    CommandRow("show last", Expected(0, ".*The command printed: hi\n.*", errors: ".*")),
    CommandRow("sessions", Expected(0, #"(studio/ID\t\w+\t[^\n]*\n){3,}"#)),
    CommandRow("status", Expected(0, ".*sessions: .*\n")),
    CommandRow(
      "search two",
      Expected(0, #"(studio/ID\t\w+\tTIME\t[^\n]*\n){2}"#),
      (
        [.perSession],
        Expected(69, errors: "oppi: studio does not support search; it is older .*\n")
      )
    ),
  ]

  private static let stopping = [
    CommandRow("ask -q -w demo silent", Expected(0, "ID\n")),
    CommandRow("stop last", Expected(0, errors: "stopped the turn of ID\n")),
    CommandRow("follow last", Expected(4, ".*", errors: "Session .*stopped\n.*")),
    CommandRow("stop --session last", Expected(0, errors: "ended session ID\n")),
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
    CommandRow(
      "doctor",
      Expected(
        0,
        #".*ok\tservers\tstudio answers in .* matches the pinned certificate and accepts the token\t.*"#,
        errors: ".*"
      )
    ),
    CommandRow("pick workspaces --gui never", Expected(0, "ID\n", errors: ".*")),
  ]

  private static let leaving = [
    CommandRow(
      "servers revoke --yes DEVICE",
      Expected(69, errors: "oppi: studio does not list devices.*\n"),
      ([.deviceKeys], Expected(0, ".*", errors: "revoked .*\n"))
    ),
    CommandRow(
      "ask -w studio/demo hello",
      Expected(0, "ID\n", errors: "Pi is working on it in demo\n"),
      ([.deviceKeys], Expected(77, errors: "oppi: studio has revoked this device\n.*"))
    ),
    CommandRow("servers forget studio", Expected(0, errors: "removed studio\n")),
    CommandRow("workspaces", Expected(78, errors: "oppi: not paired .*")),
  ]
}
