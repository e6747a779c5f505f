// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension Installation {
  /// A file that another program generates from installed files, such as a cache.
  struct Product: Sendable {
    var path: String
    var what: String
    var sources: Set<String>
    /// Runs the other program, which may fail.
    var make: @Sendable () async -> Void
  }

  /// Decides whether to generate the product, and records it if it will belong to this program.
  func expect(
    _ product: Product?,
    from planned: [Item],
    in known: inout SetupRecord
  ) -> Bool {
    guard let product else { return false }
    // An interrupted run has left it to be generated.
    let isPending = known[product.path]?.digests == []
    guard isPending || planned.contains(where: { product.sources.contains($0.path) }) else {
      return false
    }
    known[product.path] =
      isOwn(product.path, in: known)
      ? SetupRecord.File(path: product.path, what: product.what, digests: []) : nil
    return true
  }

  /// Whether a product does not exist yet, or was generated for this program.
  private func isOwn(_ path: String, in known: SetupRecord) -> Bool {
    do {
      guard let found = try files.read(path, privacy: .untrusted) else { return true }
      return known[path]?.owns(found) ?? false
    } catch {
      // A recorded product stays on record; the read error is reported when it is next installed.
      return known[path] != nil
    }
  }

  /// Generates the product and returns the outcome; `nil` for a product of another program.
  ///
  /// A product that cannot be read stays on record, because it may have been generated.
  func make(_ product: Product, in known: inout SetupRecord) async -> Outcome? {
    await product.make()
    do {
      let found = try files.read(product.path, privacy: .untrusted)
      guard let found, known[product.path] != nil else {
        known[product.path] = nil
        return nil
      }
      known[product.path]?.digests = [SHA256.hex(of: found)]
      return .written
    } catch {
      return .failed(error)
    }
  }

  /// Generates an existing product again without a removed source; returns a failure's outcome.
  func renew(_ product: Product) async -> Outcome? {
    do {
      if try files.read(product.path, privacy: .untrusted) != nil { await product.make() }
      return nil
    } catch {
      return .failed(error)
    }
  }
}
