// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// The models that servers offer, from their latest lists.
///
/// A server silently replaces an unknown model with one of another vendor, so each model of a new
/// session is looked up here first.
struct ModelCatalog: Sendable {
  private let cache: ModelCache?

  /// - Parameter cache: The lists of earlier processes; `nil` always queries the server.
  init(cache: ModelCache? = nil) {
    self.cache = cache
  }

  /// A model that its server offers, or that could not be checked because the server has no list.
  struct OfferedModel: Sendable {
    let id: String

    fileprivate init(_ id: String) {
      self.id = id
    }
  }

  /// Returns a model by its id; queries the server only if its cached list lacks the id.
  ///
  /// - Throws: `.unknownModel` if the server does not offer it.
  func model(
    _ id: String,
    of server: PairedServer,
    over api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> OfferedModel {
    if cache?.models(of: server.id)?.contains(where: { $0.id == id }) == true {
      return OfferedModel(id)
    }
    let models: [LanguageModel]
    do {
      models = try await api.listModels(until: deadline)
    } catch .refused(404, _, _) {
      return OfferedModel(id)
    }
    guard !models.isEmpty else { return OfferedModel(id) }
    cache?.store(models, of: server.id)
    guard models.contains(where: { $0.id == id }) else {
      throw .unknownModel(id: id, known: models, server: server.name)
    }
    return OfferedModel(id)
  }

  /// Checks a model as ``model(_:of:over:until:)`` does.
  func check(
    _ id: String,
    of server: PairedServer,
    over api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    _ = try await model(id, of: server, over: api, until: deadline)
  }

  /// Drops the cached list of a server that replaced a model from it.
  func forget(_ server: PairedServer, ifItReplaced asked: String?, with taken: String?) {
    guard let asked, let taken, asked != taken else { return }
    cache?.store([], of: server.id)
  }
}
