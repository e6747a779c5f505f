// SPDX-License-Identifier: MIT

import OppiModel

extension Installation {
  /// A file that another program makes of installed ones, such as a cache of them.
  package struct Product: Sendable {
    package var path: String
    package var what: String
    /// The files that it is made of.
    package var sources: Set<String>
    /// Has the other program make it; it may also refuse.
    package var make: @Sendable () async -> Void

    package init(
      path: String,
      what: String,
      sources: Set<String>,
      make: @escaping @Sendable () async -> Void
    ) {
      (self.path, self.what, self.sources, self.make) = (path, what, sources, make)
    }
  }

  /// Decides whether the product is to be made, and notes it where that will be this program's doing.
  func expect(
    _ product: Product?,
    from planned: [Item],
    in known: inout SetupRecord
  ) -> Bool {
    guard let product else { return false }
    // A run that did not come to its end had it still to be made.
    let isPending = known[product.path]?.digests == []
    guard isPending || planned.contains(where: { product.sources.contains($0.path) }) else {
      return false
    }
    known[product.path] =
      isOwn(product.path, in: known)
      ? SetupRecord.File(path: product.path, what: product.what, digests: []) : nil
    return true
  }

  /// Whether a product is not there yet, or is what was made for this program.
  private func isOwn(_ path: String, in known: SetupRecord) -> Bool {
    do {
      guard let found = try files.read(path, privacy: .untrusted) else { return true }
      return known[path]?.owns(found) ?? false
    } catch {
      // A recorded product stays on record; the read error is reported when it is next installed.
      return known[path] != nil
    }
  }

  /// Installs the product and returns the outcome; `nil` for a product of another program.
  ///
  /// One that cannot be read stays on record, as nothing says that it was not made.
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

  /// Has the product made anew after a source of it was removed; returns why that could not be, where
  /// it is there.
  func renew(_ product: Product) async -> Outcome? {
    do {
      if try files.read(product.path, privacy: .untrusted) != nil { await product.make() }
      return nil
    } catch {
      return .failed(error)
    }
  }
}
