// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi pair --link`: pairs by an invite from a link, which is untrusted input.
///
/// Shows the invite, and sends nothing until the user types yes.
struct PairLink {
  let context: Context

  /// Asks on this terminal; without one, opens a terminal window, which gets the link through a
  /// file.
  ///
  /// - Parameters:
  ///   - text: The link; `nil` for the one that was stored for this terminal.
  ///   - name: The local name of the server.
  ///   - pair: Pairs after the user agreed.
  /// - Returns: The report of pairing, or of opening the window.
  /// - Throws: `OppiError`, which is also shown on the desktop if there is no lasting terminal.
  func run(
    _ text: String?,
    name: String?,
    pair: (Invite) async throws -> Report
  ) async throws -> Report {
    let destination = context.console.policy.destination
    let outcome = DesktopOutcome(command: "pair", context: context)
    guard context.console.policy.form != .json else {
      throw OppiError.linkWithJSON
    }
    guard destination.isInputTerminal, destination.isErrorTerminal else {
      return try await outcome.value(.auto) { try openWindow(text, name: name) }
    }
    if let text {
      let invite = try Pair.invite(text)
      try await ask(about: invite)
      return try await pair(invite)
    }
    // The window closes with the program, so the desktop also shows the outcome.
    let when: DesktopOutcome.When = context.desktop.hasSessionBus ? .always : .never
    let invite = try await outcome.value(when) { try Pair.invite(try taken()) }
    try await ask(about: invite)
    return try await outcome.telling(when) { try await pair(invite) }
  }

  private var store: LinkStore { LinkStore(paths: context.paths, files: context.files) }

  private func taken() throws -> String {
    guard let text = try store.take(at: context.now()) else {
      throw OppiError.noPendingLink
    }
    return text
  }

  // MARK: - Confirmation

  private func ask(about invite: Invite) async throws {
    // Without an identity, the server could replace a paired one unnoticed.
    guard let identity = invite.fingerprint else {
      throw OppiError.linkWithoutIdentity
    }
    for line in try lines(about: invite, identity) { await tell(line) }
    let answer = try await context.standardInput(limit: 1024) { $0.contains(UInt8(ascii: "\n")) }
    let words = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.map({ $0.lowercased() }) == ["yes"] else {
      throw OppiError.pairingDeclined(invite.endpoint)
    }
  }

  private func lines(about invite: Invite, _ identity: Fingerprint) throws -> [StyledText] {
    let isEncrypted = invite.endpoint.scheme == .https
    let noPin =
      isEncrypted ? "none: verified by the system's certificate authorities" : "none: not encrypted"
    var rows = [
      ("name", invite.name.safeLine(limit: 40)), ("address", invite.endpoint.description),
      ("identity", identity.text),
      ("certificate", invite.certificatePin?.text ?? noPin),
    ]
    let servers = try context.serverStore.load().servers
    if let known = servers.first(where: { $0.id == identity }) {
      rows.append(("paired", "as \(known.name) at \(known.endpoint); will be replaced"))
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
        StyledText("Continue only if you have just created this invite yourself."),
        StyledText("Type yes and press Enter to pair; any other input cancels."),
      ]
  }

  /// Prints a line of the question, even with `--quiet`.
  private func tell(_ line: StyledText) async {
    var options = context.options
    options.isQuiet = false
    await context.console.with(options).status(line)
  }

  // MARK: - Without a terminal

  private func openWindow(_ text: String?, name: String?) throws -> Report {
    guard let text else {
      throw OppiError.linkWithoutTerminal
    }
    let invite = try Pair.invite(text)
    let server = "\(invite.name) (\(invite.endpoint))"
    let window = context.terminalWindow
    let words = [context.programPath(), "pair", "--link"] + (name.map { ["--name", $0] } ?? [])
    guard let command = try window.command(running: words) else {
      throw OppiError.noTerminalToConfirm(server)
    }
    try store.leave(text, at: context.now())
    do {
      try context.programs.startDetached(command)
    } catch {
      store.discard()
      throw OppiError.cannotStartTerminal(command[0], because: error)
    }
    return Report(
      .object([:]),
      status: StyledText("opened a terminal window to confirm pairing with \(server)")
    )
  }
}
