// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi pair --link`: an invite that a link has brought, which anybody may have written.
///
/// It is shown, and nothing is sent before a person has said yes.
struct PairLink {
  let context: Context

  /// Asks on this terminal; without one, in a terminal window, which goes on without the link's text.
  ///
  /// - Parameters:
  ///   - text: The link; `nil` for the one that was left for this terminal.
  ///   - name: What the server is to be called here.
  ///   - pair: Pairs by an invite that was agreed to.
  /// - Returns: What came of it.
  /// - Throws: `OppiError`, also on the desktop where nobody sees a terminal.
  func run(
    _ text: String?,
    name: String?,
    pair: (Invite) async throws -> Report
  ) async throws -> Report {
    let destination = context.console.policy.destination
    let outcome = DesktopOutcome(command: "pair", context: context)
    guard context.console.policy.form != .json else {
      throw OppiError(.usage, "--link asks a person, so it goes without --json")
    }
    guard destination.isInputTerminal, destination.isErrorTerminal else {
      return try await outcome.value(.auto) { try openWindow(text, name: name) }
    }
    if let text {
      let invite = try Pair.invite(text)
      try await ask(about: invite)
      return try await pair(invite)
    }
    // The window closes with the program, so the outcome is told beside it.
    let when: DesktopOutcome.When = context.desktop.hasSessionBus ? .always : .never
    let invite = try await outcome.value(when) { try Pair.invite(try taken()) }
    try await ask(about: invite)
    return try await outcome.telling(when) { try await pair(invite) }
  }

  private var store: LinkStore { LinkStore(paths: context.paths, files: context.files) }

  private func taken() throws -> String {
    guard let text = try store.take(at: context.now()) else {
      throw OppiError(
        .noInput,
        "no link waits; one that was opened waits for 90 s",
        hints: ["open it again, or paste the invite: oppi pair -"]
      )
    }
    return text
  }

  // MARK: - Asking

  private func ask(about invite: Invite) async throws {
    // It could turn out to be one that is paired, and would take its place unasked.
    guard let identity = invite.fingerprint else {
      throw OppiError(
        .badInput,
        "the link does not say which server it is from; not paired",
        hints: ["paste an invite of your own: oppi pair -"]
      )
    }
    for line in try lines(about: invite, identity) { await tell(line) }
    let answer = try await context.standardInput(limit: 1024) { $0.contains(UInt8(ascii: "\n")) }
    let words = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.map({ $0.lowercased() }) == ["yes"] else {
      throw OppiError(.interrupted, "not paired", hints: ["nothing was sent to \(invite.endpoint)"])
    }
  }

  private func lines(about invite: Invite, _ identity: Fingerprint) throws -> [StyledText] {
    let isEncrypted = invite.endpoint.scheme == .https
    let noPin = isEncrypted ? "none: the system's authorities vouch for it" : "none: not encrypted"
    var rows = [
      ("name", invite.name.safeLine(limit: 40)), ("address", invite.endpoint.description),
      ("identity", identity.text),
      ("certificate", invite.certificatePin?.text ?? noPin),
    ]
    let servers = try context.serverStore.load().servers
    if let known = servers.first(where: { $0.id == identity }) {
      rows.append(("paired", "as \(known.name) at \(known.endpoint), which this replaces"))
    }
    let width = rows.map(\.0.count).max() ?? 0
    return [StyledText("A link asks to pair with a server:")]
      + rows.map { name, value in
        var line = StyledText(
          "  \(name)\(String(repeating: " ", count: width - name.count))  ",
          .dim
        )
        line.append(value)
        return line
      }
      + [
        StyledText("Go on only with an invite that you have just made yourself."),
        StyledText("Type yes and press Enter to pair; anything else leaves it."),
      ]
  }

  /// Tells what is asked about, under `--quiet`, too.
  private func tell(_ line: StyledText) async {
    var options = context.options
    options.isQuiet = false
    await context.console.with(options).status(line)
  }

  // MARK: - Without a terminal

  private func openWindow(_ text: String?, name: String?) throws -> Report {
    guard let text else {
      throw OppiError(.usage, "--link without an invite needs a terminal to ask in")
    }
    let invite = try Pair.invite(text)
    let server = "\(invite.name) (\(invite.endpoint))"
    let window = context.terminalWindow
    let words = [context.programPath(), "pair", "--link"] + (name.map { ["--name", $0] } ?? [])
    guard let command = try window.command(running: words) else {
      throw OppiError(
        .badConfiguration,
        "a link asks to pair with \(server), and there is no terminal to ask you in; not paired",
        hints: ["set $TERMINAL, or paste the invite: oppi pair -"]
      )
    }
    try store.leave(text, at: context.now())
    do {
      try context.programs.startDetached(command)
    } catch {
      store.discard()
      throw OppiError(.badConfiguration, "cannot start \(command[0]): \(error); not paired")
    }
    return Report(.object([:]), status: StyledText("asking in a window about \(server)"))
  }
}
