// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiClient
import OppiTerminal
import OppiText
import OppiWire

/// `oppi pair`: pairs with a server.
enum Pair {
  struct Options: Sendable, Equatable {
    var invite: String?
    var name: String?
    var isLink = false
    var keyCommand: String?
  }

  /// Pairing takes several requests.
  fileprivate static let limit = Duration.seconds(10)

  static let command: Command = Command(
    "pair",
    "Pair with a server",
    discussion: """
      Create an invite on the server's machine with its own 'oppi pair --json'; it is valid for \
      90 s. Give it as a link (oppi://connect?...), as the JSON of the QR code, or as - to read \
      it from standard input, which keeps it out of the process list and the shell history. It \
      may be wrapped over several lines. At a terminal, paste it and press Enter.

      The signature of a signed invite is verified, and the certificate is checked against the \
      invite's pin, before anything is sent. Pairing again with the same server renews its \
      address, pin and token. If the server was paired by a signed invite, the new one must be \
      signed by the same key. Otherwise an invite that changes the address or the pin of a \
      paired server is shown first, and you must confirm it; without a terminal it is refused.

      Today's servers enrol a key of this machine, which is stored in credentials.json. With \
      --key-command a program keeps the key instead, for example in a TPM; oppi never reads it. \
      COMMAND is split at blanks and run without a shell; see 'oppi help keys'.

      --link is for an invite from a link (see 'oppi setup'). Links are untrusted input: the \
      server's name, address, identity and certificate are shown, and nothing is sent until you \
      type yes. Without a terminal a terminal window is opened for this (xdg-terminal-exec, \
      $TERMINAL, x-terminal-emulator). If there is none, a notification is shown, and nothing is \
      paired.
      """,
    examples: [
      ("oppi pair -", "Paste an invite"),
      ("oppi pair --name studio 'oppi://connect?v=3&invite=...'", "Pair with an invite link"),
      ("oppi pair --key-command oppi-key -", "Pair with a key that a program keeps"),
    ],
    exitStatuses: [0, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130],
    members: shape.rows,
    group: Group.start,
    options: Options(),
    arguments: [
      .option("name", \.name, "Set the server's local name"),
      .option(
        "key-command",
        placeholder: "COMMAND",
        completion: .file,
        \.keyCommand,
        "Sign with a program that keeps the key"
      ),
      .flag("link", \.isLink, "Show the server and ask before pairing"),
      .positional("invite", \.invite, "The invite, or - for standard input"),
    ],
    validate: { options throws(UsageError) in
      if let name = options.name { try ServerLabel.check(name) }
      if let command = options.keyCommand, words(of: command).isEmpty {
        throw UsageError(.custom("--key-command expects a program"))
      }
      guard options.invite != nil || options.isLink else {
        throw UsageError(.missingPositional("INVITE"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let text = options.invite == "-" ? try await pasted(in: context) : options.invite
    let run = PairRun(options: options, context: context)
    return options.isLink
      ? try await run.open(link: text) : try await run.pair(with: Invite(text ?? ""))
  }

  /// A command line without quotes, which no shell reads.
  fileprivate static func words(of command: String) -> [String] {
    command.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Reads the invite from standard input, with a notice on a terminal.
  private static func pasted(in context: Context) async throws -> String {
    if context.output.policy.destination.isInputTerminal {
      await context.output.status("Paste the invite and press Enter; Ctrl-C cancels.")
    }
    let bytes = try await context.standardInput(limit: 65_536) { bytes in
      (try? Invite(String(decoding: bytes, as: UTF8.self))) != nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate static let shape: JSONShape<(outcome: Pairing.Outcome, row: ServerRow)> = [
    .object("server", "The server", ServerRow.shape) { $0.row },
    .bool("renewed", "Whether the server was already paired") { $0.outcome.isRenewal },
    .optionalText("version", "The server's version, if known") { $0.outcome.version },
  ]
}

/// One run of `oppi pair`.
struct PairRun {
  let options: Pair.Options
  let context: Context

  var pairing: Pairing {
    Pairing(
      network: context.network,
      servers: context.serverStore,
      credentials: context.credentials,
      tokens: context.accessTokens
    )
  }

  /// Pairs, and asks first if that changes a paired server and a user can answer.
  func pair(with invite: Invite) async throws -> Report {
    guard let changed = try pairing.change(by: invite), context.canConfirm else {
      return try await pair(with: invite, replacing: nil)
    }
    try await ask("This invite changes a paired server:", about: invite, replacing: changed)
    return try await pair(with: invite, replacing: changed.address)
  }

  /// Pairs, also to replace the server at a place, to which the user has agreed.
  func pair(with invite: Invite, replacing replaced: ServerAddress?) async throws -> Report {
    let pin = invite.certificatePin?.text ?? "no pin"
    await context.output.detail("pairing with \(invite.endpoint), \(pin)")
    let outcome: Pairing.Outcome
    do {
      outcome = try await pairing.pair(
        with: invite,
        name: options.name,
        keyCommand: options.keyCommand.map(Pair.words) ?? [],
        replacing: replaced,
        until: context.loop.now + (context.options.timeout ?? Pair.limit)
      )
    } catch {
      throw OppiError(pairing: OppiError(error), with: invite)
    }
    let server = outcome.server
    let isDefault = try context.serverStore.load().defaultServer?.id == server.id
    var line = StyledText(outcome.isRenewal ? "paired again with " : "paired with ")
    line.append(server.name, .name)
    line.append(" (\(server.endpoint))")
    return Report(
      Pair.shape.document(of: (outcome, ServerRow(server: server, isDefault: isDefault))),
      .text(server.id.text),
      status: line,
      notes: server.name == outcome.wantedName
        ? [] : [.note("another server is named '\(outcome.wantedName)'")]
    )
  }

  // MARK: - The question before an invite is used

  /// Shows what an invite says, and what it replaces: the server that is `known` by its identity.
  ///
  /// - Throws: `OppiError` unless the answer is yes.
  func ask(
    _ headline: String,
    about invite: Invite,
    replacing known: PairedServer?
  ) async throws {
    let answer = try await context.answer(
      to: [StyledText(headline)] + Self.rows(invite, known).map(Self.line)
        + [StyledText("Continue only if you have just created this invite yourself.")],
      "Type yes and press Enter to pair; any other input cancels: "
    )
    guard answer == "yes" else {
      throw OppiError(.interrupted, "not paired", hints: ["nothing was sent to \(invite.endpoint)"])
    }
  }

  private static func rows(
    _ invite: Invite,
    _ known: PairedServer?
  ) -> [(name: String, value: String)] {
    var rows = [
      ("name", invite.name.safeLine(limit: 40)), ("address", invite.endpoint.description),
      ("certificate", certificate(of: invite.address)),
      ("identity", invite.fingerprint?.text ?? "unknown"),
    ]
    guard let known else { return rows }
    rows.append(("paired", "as \(known.name), which this replaces"))
    if known.endpoint != invite.endpoint { rows.append(("old address", "\(known.endpoint)")) }
    if known.certificatePin != invite.certificatePin {
      rows.append(("old certificate", certificate(of: known.address)))
    }
    return rows
  }

  private static func certificate(of place: ServerAddress) -> String {
    if let pin = place.certificatePin { return pin.text }
    return place.endpoint.scheme == .https
      ? "none: verified by the system's certificate authorities" : "none: not encrypted"
  }

  private static func line(_ name: String, _ value: String) -> StyledText {
    let width = "old certificate".count
    var line = StyledText("  \(name)\(String(repeating: " ", count: width - name.count))  ", .dim)
    line.append(value)
    return line
  }
}

extension OppiError {
  /// An error during pairing, where 401 and 429 concern the invite and not a token, and `oppi
  /// servers` may not list the server.
  fileprivate init(pairing error: OppiError, with invite: Invite) {
    self = error
    switch error.reason {
    case .refused(401, _)?:
      message =
        "\(invite.name) rejected the invite: it was used, is older than 90 s, or was replaced"
      hints = [Self.createInvite]
    case .refused(429, _)?:
      message = "\(invite.name) rejects all invites for 2 minutes after too many invalid ones"
      hints = ["wait two minutes", Self.createInvite]
    case .transport? where code == .serverUnreachable || code == .timedOut:
      hints = [
        "check that the server is running and the invite has its address: \(invite.endpoint)"
      ]
    default: break
    }
  }
}

extension InviteError: ExplainedError {
  var explanation: OppiError {
    let (code, message): (OppiError.Code, String) =
      switch self {
      case .notAnInvite: (.badInput, "not an invite")
      case .unsupportedVersion: (.badInput, "the version of the invite is not supported")
      case .malformed(let field): (.badInput, "the invite has an invalid '\(field)'")
      case .noToken: (.badInput, "the invite has no token")
      case .badSignature:
        (.identityMismatch, "the invite is not signed by the server that it names")
      }
    let form = self == .notAnInvite ? ["an invite starts with oppi://connect"] : []
    return OppiError(code, message, hints: form + [OppiError.createInvite])
  }
}
