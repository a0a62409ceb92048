//! Gives the library the name by which programs find it, wherever the linker found it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhaptix.so");
    println!("cargo:rerun-if-changed=build.rs");
}
