// swift-tools-version: 6.2

import Foundation
import PackageDescription

/// With `WARNINGS_AS_ERRORS`, rejects warnings and expressions that take over 3 s to type-check, and
/// compiles each target as a whole.
///
/// Other builds accept both: a newer compiler may report more warnings, and a machine may be slow.
/// Whole targets take a third of the time if everything is built, and longer after a small change.
let strictness: [SwiftSetting] =
  Context.environment["WARNINGS_AS_ERRORS"] == nil
  ? []
  : [
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-Xfrontend", "-warn-long-expression-type-checking=3000"]),
    .unsafeFlags(
      ["-whole-module-optimization", "-num-threads", "2"],
      .when(configuration: .debug)
    ),
  ]

/// Reduces the start time of the program, which often runs for milliseconds only.
///
/// Finds type metadata by calls instead of resolving mangled names at run time, which takes a
/// quarter of the instructions of `oppi ask`.
let quickStart: [SwiftSetting] = [
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
    .when(configuration: .release)
  )
]

/// The settings of all targets, with all upcoming language features.
let settings: [SwiftSetting] =
  quickStart + strictness + [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]

/// Links the C++ runtime statically if its archive is installed.
///
/// With `--static-swift-stdlib`, the Swift libraries link with `-lstdc++`. By default the linker
/// uses the shared library, and loading it takes a fifth of the start time. The folder `Linking`
/// has a linker script of that name that refers to the archive; it needs lld, which the toolchain
/// includes. A release also omits the dynamic symbols of the program, which the Swift runtime would
/// otherwise search at every start.
let staticRuntime: [LinkerSetting] = {
  let root = "/usr/lib/gcc"
  let files = FileManager.default
  func folders(_ path: String) -> [String] {
    ((try? files.contentsOfDirectory(atPath: path)) ?? []).map { "\(path)/\($0)" }
  }
  let archives = folders(root).flatMap(folders).map { "\($0)/libstdc++.a" }
  guard archives.contains(where: files.fileExists) else { return [] }
  return [
    .unsafeFlags(["-use-ld=lld", "-L\(Context.packageDirectory)/Sources/oppi/Linking"]),
    .unsafeFlags(
      ["-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-static-libgcc"],
      .when(configuration: .release)
    ),
  ]
}()

/// `isOptimized` optimizes it in debug builds, too: for the small libraries in which the tests spend
/// most of their time.
func library(
  _ name: String,
  _ dependencies: [Target.Dependency] = [],
  isOptimized: Bool = false,
  plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    swiftSettings: settings
      + (isOptimized ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []),
    plugins: plugins
  )
}

/// Excludes fixtures and snapshots, which tests read from the folder of their source files.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    exclude: excluded[name, default: []],
    swiftSettings: settings
  )
}

let excluded: [String: [String]] = [
  "OppiWireTests": ["Wire/Fixtures"],
  "OppiModelTests": ["Activity/Snapshots"],
  "OppiTerminalTests": ["Widths/tables.py", "Widths/widths.txt"],
  "OppiTurnsTests": ["Activity/Snapshots"],
  "OppiTests": [
    "Console/Snapshots", "Help/Snapshots", "Program/Homes",
    "Program/Snapshots",
  ],
  "InteropTests": ["server.py"],
]

/// What features are built on.
let ground: [Target.Dependency] = [
  "CommandTable", "EventLoop", "HTTPCodec", "WebSocketCodec", "OppiText", "OppiWire", "OppiModel",
  "OppiTerminal", "OppiTransport", "OppiSystem",
]

let features: [Target.Dependency] = ["OppiClient", "OppiTurns", "OppiPrompts", "Oppi"]

/// What the tests of all features use: whole commands run in a simulated world.
let underFeatureTests =
  ground + features + ["OppiHost", "FakeServer", "TestSupport", "Simulation"]

/// What the tests of both servers use: a fake server is a host, with faults and older dialects.
let underHostTests: [Target.Dependency] = [
  "EventLoop", "OppiText", "OppiWire", "OppiModel", "OppiTransport", "HTTPCodec", "WebSocketCodec",
  "OppiHost", "FakeServer", "TestSupport", "HostTestSupport",
]

let package = Package(
  name: "oppi",
  products: [
    .executable(name: "oppi", targets: ["oppi"]),
    .library(name: "Fuzz", type: .static, targets: ["Fuzz"]),
  ],
  targets: [
    // Without access to the system: no file, socket, clock, environment or randomness.
    library("CommandTable", isOptimized: true),
    library("WebSocketCodec", isOptimized: true),
    library("HTTPCodec", isOptimized: true),
    library("OppiText", isOptimized: true),
    library("OppiWire", ["OppiText"], isOptimized: true),
    library("OppiModel", ["OppiText", "OppiWire"]),
    library("OppiTerminal", ["OppiText"], isOptimized: true),

    // With access to the system.
    library("EventLoop", isOptimized: true),
    library(
      "OppiTransport",
      ["EventLoop", "OppiText", "OppiWire", "HTTPCodec", "WebSocketCodec"]
    ),
    library("OppiSystem", ["EventLoop", "OppiText", "OppiWire", "OppiModel"]),
    library(
      "OppiHost",
      ["EventLoop", "OppiText", "OppiWire", "OppiTransport", "HTTPCodec", "WebSocketCodec"]
    ),
    .target(
      name: "FakeServer",
      dependencies: [
        "EventLoop", "OppiText", "OppiWire", "OppiModel", "OppiTransport", "HTTPCodec",
        "WebSocketCodec", "OppiHost",
      ],
      path: "Tests/FakeServer",
      swiftSettings: settings
    ),

    // Features: a folder is a feature, and each layer stands on the layers before it.
    library("OppiClient", ground),
    library("OppiTurns", ground + ["OppiClient"]),
    library("OppiPrompts", ground + ["OppiClient", "OppiTurns"]),
    library(
      "Oppi",
      ground + ["OppiHost", "OppiClient", "OppiTurns", "OppiPrompts"],
      plugins: ["ExampleTexts"]
    ),
    .plugin(
      name: "ExampleTexts",
      capability: .buildTool(),
      path: "Sources/ExampleTexts",
      exclude: ["generate"]
    ),
    .plugin(
      name: "BuildCommit",
      capability: .buildTool(),
      path: "Sources/BuildCommit",
      exclude: ["archive", "generate"]
    ),
    .executableTarget(
      name: "oppi",
      dependencies: ["Oppi", "OppiSystem"],
      exclude: ["Linking"],
      swiftSettings: settings,
      linkerSettings: staticRuntime,
      plugins: ["BuildCommit"]
    ),

    .target(
      name: "TestSupport",
      dependencies: [
        "CommandTable", "EventLoop", "OppiText", "OppiWire", "OppiModel", "OppiTerminal",
        "OppiSystem", "OppiTransport",
      ],
      path: "Tests/TestSupport",
      exclude: ["Activity/Recordings", "Activity/Traces"],
      swiftSettings: settings
    ),
    tests("CommandTableTests", ["CommandTable", "TestSupport"]),
    tests("WebSocketCodecTests", ["WebSocketCodec", "TestSupport"]),
    tests("HTTPCodecTests", ["HTTPCodec", "TestSupport"]),
    tests("OppiTextTests", ["OppiText", "TestSupport"]),
    tests("OppiWireTests", ["OppiText", "OppiWire", "TestSupport"]),
    tests("OppiModelTests", ["OppiText", "OppiWire", "OppiModel", "TestSupport"]),
    tests(
      "OppiTerminalTests",
      ["OppiTerminal", "OppiText", "OppiWire", "OppiModel", "TestSupport"]
    ),
    tests("EventLoopTests", ["EventLoop", "TestSupport"]),
    tests(
      "OppiTransportTests",
      [
        "EventLoop", "OppiTransport", "OppiText", "OppiWire", "OppiModel", "HTTPCodec",
        "WebSocketCodec",
        "FakeServer",
        "TestSupport",
      ]
    ),
    tests(
      "OppiSystemTests",
      [
        "EventLoop", "OppiSystem", "OppiText", "OppiWire", "OppiModel", "TestSupport",
      ]
    ),
    .target(
      name: "HostTestSupport",
      dependencies: [
        "EventLoop", "FakeServer", "OppiText", "OppiWire", "OppiTransport", "HTTPCodec",
        "WebSocketCodec", "TestSupport",
      ],
      path: "Tests/HostTestSupport",
      swiftSettings: settings
    ),
    tests("OppiHostTests", underHostTests),
    tests("FakeServerTests", underHostTests),
    .target(
      name: "OppiTestSupport",
      dependencies: underFeatureTests,
      path: "Tests/OppiTestSupport",
      swiftSettings: settings
    ),
    tests("OppiClientTests", underFeatureTests + ["OppiTestSupport"]),
    tests("OppiTurnsTests", underFeatureTests + ["OppiTestSupport"]),
    tests("OppiPromptsTests", underFeatureTests + ["OppiTestSupport"]),
    tests("OppiTests", underFeatureTests + ["OppiTestSupport"]),
    tests(
      "EndToEndTests",
      [
        "oppi", "EventLoop", "FakeServer", "OppiHost", "OppiText", "OppiWire", "OppiModel",
        "OppiTransport", "HTTPCodec",
        "WebSocketCodec", "TestSupport",
      ]
    ),
    tests("InteropTests", ["oppi", "TestSupport"]),

    .target(
      name: "Simulation",
      dependencies: [
        "EventLoop", "OppiText", "OppiWire", "OppiModel", "OppiTransport", "OppiSystem",
        "FakeServer", "CommandTable",
        "HTTPCodec", "WebSocketCodec", "TestSupport",
      ] + features,
      path: "Tests/Simulation/Simulation",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "Simulation", "FakeServer", "OppiText", "OppiWire", "OppiModel", "OppiTransport",
        "TestSupport",
      ],
      path: "Tests/Simulation/simulate",
      swiftSettings: settings
    ),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["EventLoop", "OppiSystem", "Simulation", "TestSupport"],
      path: "Tests/Simulation/SimulationTests",
      exclude: ["Snapshots"],
      swiftSettings: settings
    ),

    .target(
      name: "Fuzz",
      dependencies: [
        "CommandTable", "WebSocketCodec", "HTTPCodec", "OppiText", "OppiWire", "OppiModel",
        "OppiTerminal", "OppiSystem",
        "TestSupport",
      ] + features,
      path: "Tests/Fuzz/Fuzz",
      swiftSettings: settings
    ),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["Fuzz", "TestSupport"],
      path: "Tests/Fuzz/FuzzTests",
      swiftSettings: settings
    ),
  ]
)
