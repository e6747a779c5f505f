// SPDX-License-Identifier: MIT

import OppiClient
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// `oppi pair --link`: pairs by an invite from a link, which is untrusted input.
///
/// Shows the invite, and sends nothing until the user types yes.
extension PairRun {
  /// Asks on this terminal; without one, opens a window with a terminal, which gets the link through
  /// a file.
  ///
  /// Without a `link`, it is the one that was stored for this terminal.
  ///
  /// - Throws: An error, which is also shown on the desktop if there is no lasting terminal.
  func open(link: String?) async throws -> Report {
    let destination = context.output.policy.destination
    let outcome = DesktopOutcome(command: "pair", context: context)
    guard context.output.policy.form != .json else {
      throw OppiError(.usage, "--link requires confirmation; it cannot be used with --json")
    }
    guard destination.isInputTerminal, destination.isErrorTerminal else {
      return try await outcome.value(.auto) { try openWindow(link) }
    }
    if let link {
      let invite = try Invite(link)
      return try await pair(with: invite, replacing: try await ask(about: invite))
    }
    // The window closes with the program, so the desktop also shows the outcome.
    let when: DesktopOutcome.When = context.desktop.hasSessionBus ? .always : .never
    let invite = try await outcome.value(when) { try Invite(try taken()) }
    let replaced = try await ask(about: invite)
    return try await outcome.notifying(when) { try await pair(with: invite, replacing: replaced) }
  }

  private var store: LinkStore { LinkStore(paths: context.paths, files: context.files) }

  private func taken() throws -> String {
    guard let text = try store.take(at: context.now()) else {
      throw OppiError(
        .noInput,
        "no pending link; a link is valid for 90 s after it was opened",
        hints: ["open it again, or paste the invite: oppi pair -"]
      )
    }
    return text
  }

  /// Asks before anything is sent; returns the place of the paired server that the user has agreed
  /// to replace.
  private func ask(about invite: Invite) async throws -> ServerAddress? {
    // Without an identity, the server could replace a paired one unnoticed.
    guard let identity = invite.fingerprint else {
      throw OppiError(
        .badInput,
        "not paired: the link does not contain the server's identity",
        hints: ["paste an invite of your own: oppi pair -"]
      )
    }
    _ = try pairing.change(by: invite)
    let known = try context.serverStore.load().servers.first { $0.id == identity }
    try await ask("A link asks to pair with a server:", about: invite, replacing: known)
    return known?.address
  }

  // MARK: - Without a terminal

  private func openWindow(_ text: String?) throws -> Report {
    guard let text else {
      throw OppiError(.usage, "--link without an invite requires a terminal")
    }
    let invite = try Invite(text)
    let server = "\(invite.name) (\(invite.endpoint))"
    let window = context.terminalWindow
    let name = options.name.map { ["--name", $0] } ?? []
    let words = [context.programPath(), "pair", "--link"] + name
    guard let command = try window.command(running: words) else {
      throw OppiError(
        .badConfiguration,
        "not paired: no terminal found to confirm pairing with \(server)",
        hints: ["set $TERMINAL, or paste the invite: oppi pair -"]
      )
    }
    try store.leave(text, at: context.now())
    do {
      try context.programs.startDetached(command)
    } catch {
      store.discard()
      throw OppiError(.badConfiguration, "not paired: cannot start \(command[0]): \(error)")
    }
    return Report(
      .object([:]),
      status: StyledText("opened a terminal window to confirm pairing with \(server)")
    )
  }
}

/// An `oppi://` link opened on the desktop, in `link.json`: passed in a file to the terminal that
/// shows it, because it contains a token and command lines are readable by all users.
struct LinkStore: Sendable {
  /// Longer than the lifetime of any invite.
  private static let lifetime = Duration.seconds(90)
  /// In bytes; larger than any link that is accepted.
  private static let sizeLimit = 65_536

  private struct Link: ShapedRecord {
    var text: String?
    var until: Timestamp?

    static let shape = RecordShape(
      Link(),
      [.optional("link", { $1(&$0.text) }, .text), .optional("until", { $1(&$0.until) }, .iso8601)]
    )
  }

  private let file: RecordFile<Link>

  init(paths: XDGPaths, files: FileStore) {
    file = RecordFile(
      paths.linkFile,
      in: files,
      privacy: .secret,
      limit: Self.sizeLimit,
      .passing
    )
  }

  /// Stores a link, replacing a previous one.
  func leave(_ link: String, at now: Timestamp) throws(FileError) {
    try file.save(Link(text: link, until: now.moved(by: Self.lifetime)))
  }

  /// Returns and removes the link; `nil` if there is none or it has expired.
  func take(at now: Timestamp) throws(FileError) -> String? {
    guard let link = try file.load() else { return nil }
    discard()
    guard let until = link.until, now < until else { return nil }
    return link.text
  }

  func discard() { try? file.remove() }
}
