// SPDX-License-Identifier: MIT

import CommandTable
import OppiSystem
import OppiTerminal
import OppiText
package import OppiWire

/// `oppi models`: the models of the paired servers.
package enum Models {
  struct Options: Sendable, Equatable {
    var workspace: String?
  }

  package static let command: Command = Command(
    "models",
    "List the models of all paired servers",
    discussion: """
      Queries all servers at the same time, each for at most 5 s (or --timeout). The first \
      column is the value for -m and for the setting 'model': 'oppi ask' sends nothing if the \
      server does not offer the model. With -w only the server of that workspace is queried.

      In a pipe each line has, separated by tabs: id, server, provider, context window in \
      tokens, and name. The list is cached for completion and for checking -m.
      """,
    examples: [
      ("oppi models", "List all models"),
      ("oppi models -w api --json", "List the models of a workspace's server as JSON"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: others.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Only models of this workspace's server")
    ],
    run: run
  )
  .listing([list])

  private struct Row {
    let server: PairedServer
    let model: LanguageModel

    /// A number of tokens in thousands or millions.
    var contextText: String? {
      model.contextWindow.map { tokens in
        if tokens >= 1_000_000 { return "\(tokens / 1_000_000)M tokens" }
        return tokens >= 1000 ? "\(tokens / 1000)k tokens" : "\(tokens) tokens"
      }
    }
  }

  private static let list = Listing<Row>(
    "models",
    "The models of all servers",
    [
      .text("id", "Its id, for -m") { $0.model.id },
      .text("name", "Its name") { $0.model.name },
      .text("provider", "Its provider") { $0.model.provider },
      .number("contextWindow", "Its context window in tokens, or null") { $0.model.contextWindow },
      .bool("default", "Whether it is the server's default; false if unknown") {
        $0.model.isDefault
      },
      .texts("thinkingLevels", "Its thinking levels; empty if unknown") { $0.model.thinkingLevels },
      .server { $0.server },
    ],
    columns: [
      .text("MODEL", .kept, .name) { $0.model.id },
      .server { $0.server.name },
      .text("CONTEXT", .detail(2), .dim) { $0.contextText },
      .text("NAME", .detail(1), .dim) { $0.model.name },
      .text("DEFAULT", .kept, .success) { $0.model.isDefault ? "default" : nil },
    ],
    pipe: ["id", "server.name", "provider", "contextWindow", "name"]
  )

  private static let others: JSONShape<FleetFailures> = [.errors { $0 }]

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, _) = try await context.fleet(inWorkspace: options.workspace)
    let answers = try await fleet.answers { (calls, _) throws(OppiError) in
      try await calls.listModels()
    }
    let failures = FleetFailures(answers)
    let sorted = answers.sorted {
      ($0.server.name, $0.server.id.text) < ($1.server.name, $1.server.id.text)
    }
    let rows = sorted.flatMap { answer in
      (answer.value ?? []).map { Row(server: answer.server, model: $0) }
    }
    var report = list.report(
      rows,
      in: context,
      isOnlyServer: try context.servers().count == 1,
      others: others.object(of: failures),
      status: rows.isEmpty && failures.errors.isEmpty ? "no models" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
    report.isLong = rows.count > 1000
    report.afterwards = { context.remember(answers) }
    return report
  }
}

extension Context {
  /// Stores the servers' lists for completion.
  fileprivate func remember(_ answers: [Fleet.Answer<[LanguageModel]>]) {
    var lists: [Fingerprint: [LanguageModel]] = [:]
    for answer in answers { lists[answer.server.id] = answer.value }
    // Without the list of servers, the lists of forgotten ones cannot be removed.
    guard let paired = try? services.serverStore.load().servers.map(\.id) else { return }
    services.modelCatalog.store(lists, of: paired)
  }
}

/// The models that servers offer, from their latest lists in `models.json`.
///
/// A server silently replaces an unknown model with one of another vendor, so each model of a new
/// session is looked up here first. Errors of the file are only noted, because the lists can be
/// fetched again.
package struct ModelCatalog: Sendable {
  private struct Lists: ShapedRecord {
    var servers: [Fingerprint: [LanguageModel]] = [:]

    static let shape = RecordShape(
      Lists(),
      [
        .defaulted(
          "servers",
          { $1(&$0.servers) },
          .dictionary(by: .fingerprint, of: .list(of: .record))
        )
      ]
    )
  }

  /// The number of models kept per server.
  private static let fewModels = 2000

  /// `nil` always queries the server.
  private let file: RecordFile<Lists>?
  private let files: FileStore?

  init() { (file, files) = (nil, nil) }

  init(paths: XDGPaths, files: FileStore) {
    file = RecordFile(paths.modelsFile, in: files, .passing, isReplaceable: true)
    self.files = files
  }

  /// Returns all readable lists.
  package func lists() -> [Fingerprint: [LanguageModel]] { file?.usable()?.servers ?? [:] }

  /// Replaces the lists in `lists`, and drops those of servers that are not in `servers`.
  func store(_ lists: [Fingerprint: [LanguageModel]], of servers: [Fingerprint]) {
    guard !lists.isEmpty else { return }
    save(self.lists().filter { servers.contains($0.key) }.merging(lists) { _, new in new })
  }

  private func store(_ models: [LanguageModel], of server: Fingerprint) {
    save(lists().merging([server: models]) { _, new in new })
  }

  private func save(_ lists: [Fingerprint: [LanguageModel]]) {
    let lists = Lists(servers: lists.mapValues { Array($0.prefix(Self.fewModels)) })
    files?.attempt { () throws(FileError) in try file?.save(lists) }
  }

  /// Returns a model by its id; queries the server only if its cached list lacks the id, or the
  /// thinking level of the model.
  ///
  /// - Throws: `.unknownModel` if the server does not offer it, or not with the level.
  package func model(
    _ id: String,
    thinking level: ThinkingLevel? = nil,
    of server: PairedServer,
    over calls: ServerCalls
  ) async throws(OppiError) -> OfferedModel {
    func lacks(_ model: LanguageModel) -> Bool { level.map(model.lacks) ?? false }
    if let known = lists()[server.id]?.first(where: { $0.id == id }), !lacks(known) {
      return OfferedModel(id)
    }
    let models: [LanguageModel]
    do {
      models = try await calls.listModels()
    } catch  where error.isNotFound {
      return OfferedModel(id)
    }
    guard !models.isEmpty else { return OfferedModel(id) }
    store(models, of: server.id)
    guard let model = models.first(where: { $0.id == id }) else {
      throw .unknownModel(id: id, known: models, server: server.name)
    }
    if let level, lacks(model) { throw .unknownLevel(level, of: model) }
    return OfferedModel(id)
  }

  /// Drops the cached list of a server that replaced a model from it.
  package func forget(_ server: PairedServer, ifItReplaced asked: String?, with taken: String?) {
    guard let asked, let taken, asked != taken else { return }
    store([], of: server.id)
  }
}

extension Services {
  /// Looks up a model in the cached lists of some servers, and queries the servers whose lists lack
  /// it.
  ///
  /// - Returns: `nil` if a server offers it, or has no list; else an error, whose reason is
  ///   `unknownModel` unless a server that may offer it could not be queried.
  /// - Throws: If the task was cancelled.
  package func obstacle(
    toModel id: String,
    thinking level: ThinkingLevel? = nil,
    on servers: [PairedServer]
  ) async throws(CancellationError) -> OppiError? {
    let catalog = modelCatalog
    let answers = try await fleet(of: servers).answers {
      (calls, server) throws(OppiError) in
      _ = try await catalog.model(id, thinking: level, of: server, over: calls)
    }
    let errors = answers.compactMap(\.error)
    guard errors.count == answers.count else { return nil }
    return errors.first { $0.reason != .unknownModel } ?? errors.last
  }

  package func warn(ofUncheckedModel why: any Error) async {
    await reporter.warn("could not check the model", because: why)
  }
}

extension OppiError {
  /// A model that its server does not offer, with similar models.
  static func unknownModel(id: String, known: [LanguageModel], server: String) -> OppiError {
    let close = Suggestions.hint(naming: models(like: id, among: known))
    return OppiError(
      .noSuchModel,
      "\(server) has no model '\(id.safeLine(limit: 120))'",
      hints: (close.map { [$0] } ?? []) + ["list the models with: oppi models"]
    )
    .because(.unknownModel)
  }

  /// A thinking level that the model does not have.
  static func unknownLevel(_ level: ThinkingLevel, of model: LanguageModel) -> OppiError {
    OppiError(.badInput, model.lackOf(level), hints: [levelsHint]).because(.unknownModel)
  }

  /// The most models to compare.
  private static let comparedModels = 2000

  /// At most two ids of models whose id, name within the provider, or title resembles or contains
  /// the word.
  private static func models(like word: String, among known: [LanguageModel]) -> [String] {
    let word = word.lettersAndDigits
    guard !word.isEmpty else { return [] }
    let known = known.prefix(Self.comparedModels)
    let spellings: [(LanguageModel) -> String] = [
      { $0.id }, { String($0.id.drop { $0 != "/" }) }, \.name,
    ]
    for spelling in spellings {
      let comparable = known.map { spelling($0).lettersAndDigits }
      let close = Suggestions.closest(to: word, among: comparable)
      let found = zip(known, comparable).filter { close.contains($0.1) }.prefix(2).map(\.0.id)
      if !found.isEmpty { return found }
    }
    return known.filter { $0.id.lettersAndDigits.contains(word) }.prefix(2).map(\.id)
  }
}

extension LanguageModel {
  /// That it does not have a thinking level.
  package func lackOf(_ level: ThinkingLevel) -> String {
    "model '\(id)' has no thinking level '\(level.rawValue)'; it has "
      + thinkingLevels.joined(separator: ", ")
  }
}

extension String {
  /// For comparisons without regard to case and punctuation, as in `gpt5` for `GPT-5`.
  fileprivate var lettersAndDigits: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}

extension Services {
  package var modelCatalog: ModelCatalog { ModelCatalog(paths: paths, files: files) }
}
