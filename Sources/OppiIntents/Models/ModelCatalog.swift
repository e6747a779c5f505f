// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem
import OppiTransport

/// The models that servers offer, as they were last listed.
///
/// A server replaces a model that it does not know with another vendor's, without an error, so no
/// session is created with a name that was not looked up here.
package struct ModelCatalog: Sendable {
  private let cache: ModelCache?

  /// - Parameter cache: The lists of earlier processes; without it a server is always asked.
  package init(cache: ModelCache? = nil) {
    self.cache = cache
  }

  /// A model that its server offers, or whose server has no list to check it against.
  package struct OfferedModel: Sendable {
    let id: String

    fileprivate init(_ id: String) {
      self.id = id
    }
  }

  /// Returns the model of an id; asks the server only for an id that is not in its last list.
  ///
  /// - Throws: `.unknownModel` where the server offers others.
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

  /// Does what ``model(_:of:over:until:)`` does for nothing but its errors.
  package func check(
    _ id: String,
    of server: PairedServer,
    over api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    _ = try await model(id, of: server, over: api, until: deadline)
  }

  /// Drops the list of a server that took another model than the one that it had listed.
  func forget(_ server: PairedServer, ifItReplaced asked: String?, with taken: String?) {
    guard let asked, let taken, asked != taken else { return }
    cache?.store([], of: server.id)
  }
}
